/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Runs logical threads ({@link Fiber}s) on the one thread of the caller, so that a run is a function of its seed. Rewritten
 * classes and the twin of {@code Slab} call it before each access to shared state, where another fiber may be let run. Outside
 * of a run all calls do nothing.
 * <h2>Thread safety</h2>
 * One thread.
 */
public final class Scheduler {
    /** Access modes of a heap word, as the rewriter names them. */
    static final int NONE = 0;
    static final int ACQUIRE = 1;
    static final int RELEASE = 2;
    static final int VOLATILE_WRITE = 3;
    static final int READ_WRITE = 4;
    /** Stores that may become visible late; {@link #heapStored} follows. */
    static final int LATE_RELEASE = 5;
    static final int LATE_OPAQUE = 6;

    /** A fiber that took so many steps in a row waits for another one: it goes last. */
    private static final int MOST_STEPS_IN_ROW = 20_000;
    private static final int MOST_TURNS = 5_000_000;
    private static final Fiber[] NO_FIBERS = {};
    private static final Thread[] THREADS = Stream.generate(Thread::new).limit(16).toArray(Thread[]::new);

    private static Fiber now;
    private static Fiber[] fibers = NO_FIBERS;
    private static Map<Object, Object> outerLocals = new IdentityHashMap<>();
    private static Locks locks = new Locks();
    private static Strategy strategy;
    private static Conflicts.Focus focus = Conflicts.Focus.NONE;
    /* Numbers of heap objects that were accessed before the fibers began, the same in each run. */
    private static Map<Object, Integer> heapObjects = new IdentityHashMap<>();
    private static int turns;
    private static int site;
    private static boolean isAllocators;
    private static Conflicts recording;
    private static WeakMemory memory;
    private static boolean fullFenceAtCas = true;
    private static long time;
    private static long timeLimit;
    private static long switches;
    private static String trouble;

    private Scheduler() {
    }

    /** The parameters of one run of a scenario. */
    record Run(Strategy strategy, Conflicts.Focus focus, long seed, boolean weak, boolean weakCas, long mostSteps) { }

    /** Forgets the run before. Everything that follows outside of fibers is its preparation. */
    static void reset(final long seed) {
        now = null;
        fibers = NO_FIBERS;
        outerLocals = new IdentityHashMap<>();
        locks = new Locks();
        Randomness.reset(seed);
        memory = null;
        heapObjects = new IdentityHashMap<>();
        site = 0;
        isAllocators = false;
        time = 0;
        switches = 0;
        trouble = null;
    }

    /**
     * Runs fibers until all have ended, or one failed, or none can go on.
     *
     * @param names their names
     * @param bodies what they do
     * @param run the strategy, seed and memory model
     * @param record where accesses are noted, or null
     * @return the first error, or null
     */
    static String run(final String[] names, final Runnable[] bodies, final Run run, final Conflicts record) {
        final Random random = new Random(run.seed());
        strategy = run.strategy();
        focus = run.focus();
        recording = record;
        fullFenceAtCas = !run.weakCas();
        timeLimit = time + run.mostSteps();
        fibers = new Fiber[bodies.length];
        for (int i = 0; i < bodies.length; i++) {
            fibers[i] = new Fiber(i, names[i], bodies.length, bodies[i]);
            fibers[i].staleReadsLeft = 1 + random.nextInt(6);
        }
        memory = run.weak() ? new WeakMemory(bodies.length, random) : null;
        strategy.begin(fibers, random);
        Fiber last = null;
        while (trouble == null) {
            final Fiber next = strategy.choose(fibers);
            if (next == null) {
                waitingFor();
                break;
            }
            if (next != last) {
                switches++;
                next.stepsInRow = 0;
                Trace.add("    ---- " + next.name + " goes on");
            }
            last = next;
            now = next;
            next.run();
            now = null;
            if (next.error != null && trouble == null) {
                trouble = next.name + " threw " + next.error + " at " + firstFrame(next.error);
            }
        }
        now = null;
        recording = null;
        return trouble;
    }

    private static void waitingFor() {
        for (final Fiber fiber : fibers) {
            if (!fiber.done) {
                trouble = "DEADLOCK: " + fiber.name + " waits for a " + (fiber.waitsOn == null ? "lock" : "signal");
            }
        }
    }

    private static String firstFrame(final Throwable thrown) {
        return thrown.getStackTrace().length == 0 ? "?" : thrown.getStackTrace()[0].toString();
    }

    static Fiber[] fibers() {
        return fibers;
    }

    static Fiber now() {
        return now;
    }

    static long time() {
        return time;
    }

    /**
     * Lets the time go on.
     *
     * @return the time
     */
    public static long tick() {
        return ++time;
    }

    static long switches() {
        return switches;
    }

    static int staleReads() {
        return memory == null ? 0 : memory.staleReads();
    }

    static Locks locks() {
        return locks;
    }

    static Map<Object, Object> locals() {
        return now == null ? outerLocals : now.locals;
    }

    // ---- accesses ----

    /**
     * Tells the place in the code of the accesses that follow.
     *
     * @param place a number that is the same in each run
     */
    public static void at(final int place) {
        site = place;
        isAllocators = false;
    }

    /**
     * Tells the place of accesses by an allocator, which may touch memory that was given back.
     *
     * @param place as {@link #at}
     */
    public static void atAllocator(final int place) {
        site = place;
        isAllocators = true;
    }

    /**
     * Returns whether the accesses that follow are those of an allocator.
     *
     * @return whether {@link #atAllocator} was called last
     */
    public static boolean isAllocators() {
        return isAllocators;
    }

    /**
     * Memory that was given back is accessed, which ends the run.
     *
     * @param slab the slab
     * @param offset offset of the word in bytes
     */
    public static void givenBack(final Object slab, final long offset) {
        if (now != null && !isAllocators) {
            end("GIVEN BACK: " + now.name + " accesses memory that was given back, " + slab + '+' + offset + ", in "
                + Trace.caller());
        }
    }

    /**
     * A word is retired, which counts as a write where it is learnt what fibers share.
     *
     * @param word number of the word
     */
    public static void retires(final long word) {
        if (recording != null && now != null) {
            recording.note(now, word, site, true, fibers.length);
        }
    }

    /** A loop of the product takes another turn; one that makes no access would never end. */
    public static void turns() {
        if (++turns > MOST_TURNS && now != null) {
            end("NO END: " + now.name + " takes " + turns + " turns without an access in " + Trace.caller());
        }
    }

    /** Ends the run: the fiber never goes on. */
    private static void end(final String wrong) {
        trouble = wrong;
        while (true) {
            Fiber.pause();
        }
    }

    /**
     * A scheduling point before an access of the fiber that runs.
     *
     * @param word number of the word, the same in each run
     * @param write whether the access may write
     */
    public static void point(final long word, final boolean write) {
        final Fiber fiber = now;
        if (fiber == null) {
            return;
        }
        turns = 0;
        fiber.steps++;
        if (++time >= timeLimit) {
            end("NO END after " + time + " steps: " + fiber.name + " in " + Trace.caller());
        }
        if (recording != null) {
            recording.note(fiber, word, site, write, fibers.length);
        }
        final boolean shared = focus.has(word, site);
        if (shared) {
            fiber.sharedSteps++;
        }
        if (strategy.stops(fiber, shared)) {
            pause(fiber);
        } else if (++fiber.stepsInRow > MOST_STEPS_IN_ROW) {
            strategy.yields(fiber);
            pause(fiber);
        }
    }

    static void pause(final Fiber fiber) {
        if (Trace.isOn()) {
            Trace.add("    " + fiber.name + " stops at " + Trace.caller());
        }
        final int place = site;
        final boolean allocators = isAllocators;
        Fiber.pause();
        site = place;
        isAllocators = allocators;
    }

    /** In place of spinning, yielding and parking: another fiber goes first. */
    public static void spin() {
        final Fiber fiber = now;
        if (fiber != null) {
            site = 0;
            point(Long.MIN_VALUE, false);
            strategy.yields(fiber);
            pause(fiber);
        }
    }

    /**
     * In place of {@code LockSupport.parkNanos}.
     *
     * @param nanos not used: time goes on with each step
     */
    public static void park(final long nanos) {
        spin();
    }

    /**
     * Before an access to a volatile word of the heap: a field, an atomic object, an element of an array.
     *
     * @param of the object; null for a static field
     * @param index number of the field or element
     * @param mode acquire, release, volatile write, read and write, or none
     */
    public static void heap(final Object of, final int index, final int mode) {
        if (now == null) {
            heapObjects.putIfAbsent(of, heapObjects.size());
            return;
        }
        point(heapWord(of, index), mode != NONE && mode != ACQUIRE);
        if (memory == null || mode == NONE || mode >= LATE_RELEASE) {
            return;
        }
        final Locks.Lock word = locks.of(of == null ? Scheduler.class : of, index);
        if (word.history != null) {
            if (mode == ACQUIRE) {
                return; // heapLoaded follows
            }
            memory.joinNewest(now, word.history);
            word.history = null;
        } else if (mode == ACQUIRE || mode == READ_WRITE) {
            Clock.join(now.clock, word.clock);
        }
        if (mode != ACQUIRE) {
            if (mode != RELEASE) {
                memory.fullFence(now);
            }
            word.clock = now.clock.clone();
        }
    }

    /**
     * After a store of a number that may become visible late.
     *
     * @param of the object; null for a static field
     * @param index number of the field or element
     * @param before what was there before
     * @param after what was stored
     * @param mode {@link #LATE_RELEASE} or {@link #LATE_OPAQUE}
     */
    public static void heapStored(final Object of, final int index, final long before, final long after, final int mode) {
        if (isWeak()) {
            final Locks.Lock word = locks.of(of == null ? Scheduler.class : of, index);
            if (word.history == null) {
                word.history = new WeakMemory.History(before, fibers.length);
                word.history.firstRelease(word.clock);
            }
            memory.store(now, word.history, WeakMemory.WHOLE_WORD, after, mode == LATE_RELEASE, false);
        }
    }

    /**
     * After a load of a number: it may be a stale one.
     *
     * @param newest what is there
     * @param of the object; null for a static field
     * @param index number of the field or element
     * @param mode acquire or none
     * @return the value that the fiber sees
     */
    public static long heapLoaded(final long newest, final Object of, final int index, final int mode) {
        if (!isWeak()) {
            return newest;
        }
        final Locks.Lock word = locks.of(of == null ? Scheduler.class : of, index);
        return word.history == null ? newest : memory.loadCoherent(now, word.history, mode == ACQUIRE);
    }

    /** As the one for long numbers. */
    public static int heapLoaded(final int newest, final Object of, final int index, final int mode) {
        return (int) heapLoaded((long) newest, of, index, mode);
    }

    /** A number of a heap word that is the same in each run: by the object, or by its class if it is new. */
    static long heapWord(final Object of, final int index) {
        final Integer known = heapObjects.get(of);
        final long object = known != null ? known | 1L << Integer.SIZE
            : of == null ? 0 : of.getClass().getName().hashCode() & 0x7FFF_FFFFL;
        return -1 - (object << Short.SIZE | index & 0xFFFF);
    }

    /**
     * Notes an access in the trace of a replayed run.
     *
     * @param what kind of access
     * @param slab the slab
     * @param offset offset in bytes
     * @param value what was read or written
     */
    public static void trace(final String what, final Object slab, final long offset, final long value) {
        if (Trace.isOn() && now != null) {
            Trace.access(now, what, slab + "+" + offset, value);
        }
    }

    // ---- weak memory ----

    /**
     * Returns whether loads of slabs may return stale values now.
     *
     * @return false outside of fibers and without weak memory
     */
    public static boolean isWeak() {
        return memory != null && now != null;
    }

    /** Returns the value that a fiber reads from a word with a history. */
    static long load(final WeakMemory.History word, final int mask, final boolean acquire) {
        return memory.load(now, word, mask, acquire);
    }

    static void store(
        final WeakMemory.History word, final int mask, final long value, final boolean release, final boolean cas) {
        memory.store(now, word, mask, value, release, cas);
    }

    static void beforeCompareAndSet(final WeakMemory.History word) {
        memory.beforeCompareAndSet(now, word, fullFenceAtCas);
    }

    /**
     * In place of acquire and load-load fences.
     *
     * @param site number of the fence, see {@link Mutations}
     */
    public static void acquireFence(final int site) {
        if (isWeak() && Mutations.keeps(site)) {
            memory.acquireFence(now);
        }
    }

    /**
     * In place of release and store-store fences.
     *
     * @param site number of the fence, see {@link Mutations}
     */
    public static void releaseFence(final int site) {
        if (isWeak() && Mutations.keeps(site)) {
            memory.releaseFence(now);
        }
    }

    /**
     * In place of full fences.
     *
     * @param site number of the fence, see {@link Mutations}
     */
    public static void fullFence(final int site) {
        if (isWeak() && Mutations.keeps(site)) {
            memory.fullFence(now);
        }
    }

    /**
     * An operation of a scenario begins: what had ended before it is visible to it.
     *
     * @return the time
     */
    public static long operationBegins() {
        if (isWeak()) {
            memory.operationBegins(now);
        }
        return tick();
    }

    /**
     * An operation of a scenario, or a move of a cursor, has returned.
     *
     * @return the time
     */
    public static long operationEnds() {
        if (isWeak()) {
            memory.operationEnds(now);
        }
        return tick();
    }

    /** Between two operations of a fiber's program. */
    public static void betweenOperations() {
        if (now != null) {
            now.operations++;
            if (strategy.endsOperation(now)) {
                pause(now);
            }
        }
    }

    // ---- determinism ----

    /**
     * In place of {@code System.nanoTime}.
     *
     * @return the number of steps, times 100
     */
    public static long nanoTime() {
        return time * 100;
    }

    /**
     * In place of {@code Thread.currentThread}.
     *
     * @return a thread, by the fiber's number, which never runs
     */
    public static Thread currentThread() {
        return now == null ? Thread.currentThread() : THREADS[now.id];
    }

    /**
     * In place of {@code Thread.getId} and {@code threadId}.
     *
     * @param thread not used
     * @return the fiber's number
     */
    public static long threadId(final Thread thread) {
        return now == null ? 0 : now.id + 1;
    }

    /**
     * In place of {@code ThreadPoolExecutor.execute}: the one who hands a task over does it at once.
     *
     * @param executor not used
     * @param task the task
     */
    public static void execute(final java.util.concurrent.ThreadPoolExecutor executor, final Runnable task) {
        task.run();
    }
}
