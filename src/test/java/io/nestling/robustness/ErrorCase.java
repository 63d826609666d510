/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.index.small.SmallIndex;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.MemtableStats;
import io.nestling.memtable.ReadView;
import io.nestling.memtable.Snapshot;
import io.nestling.offheap.Slab;
import io.nestling.offheap.SlabAllocator;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One memtable and one call of it in which an error is thrown. Loaded by {@link ErrorInjector}: the memtable has its points.
 * <p>
 * Afterwards a get gives what it should or an {@link IllegalStateException}, so do a scan and another write, but a flush passes
 * on exactly what was visible, the write under way wholly or not at all; the memtable can be closed, and no memory stays.
 */
final class ErrorCase {
    /** The calls that an error is thrown in. */
    static final List<String> CALLS = List.of("open", "put", "update", "recycle", "delete", "batch", "deleteRange", "late",
        "get", "cursor", "flush", "snapshot", "freeze", "close");
    private static final int MAX_KEYS = 700;
    private static final String LATER = "zz later";

    private final IndexType index;
    private final String call;
    private final int variant;
    private final int shards;
    private final int keys;
    private final List<WriteScript.Write> writes;
    private final WriteScript.Model model = new WriteScript.Model();
    private WriteScript.Model whole;
    private final Counting allocator = new Counting();
    private Memtable memtable;
    private long passed;

    private ErrorCase(final String index, final String call, final int variant) {
        this.index = IndexType.ofName(index);
        this.call = call;
        this.variant = variant;
        this.shards = 2 - variant;
        this.keys = variant == 0 ? 260 : MAX_KEYS;
        this.writes = script(call, variant);
    }

    /** Counts slabs that are not closed. */
    private static final class Counting implements SlabAllocator {
        private final SlabAllocator direct = SlabAllocator.direct();
        private final List<Slab> given = new ArrayList<>();

        @Override
        public Slab allocate(final long bytes) {
            final Slab slab = direct.allocate(bytes);
            given.add(slab);
            return slab;
        }

        @Override
        public long maxSlabBytes() {
            return direct.maxSlabBytes();
        }

        @Override
        public boolean lazy() {
            return direct.lazy();
        }

        int open() {
            int open = 0;
            for (final Slab slab : given) {
                open += isClosed(slab) ? 0 : 1;
            }
            return open;
        }

        private static boolean isClosed(final Slab slab) {
            try {
                slab.getByte(0);
                return false;
            } catch (final IllegalStateException | IndexOutOfBoundsException e) {
                return true;
            }
        }
    }

    /**
     * Runs a case.
     *
     * @param variant 0: two shards, short keys; 1: one shard, more and longer keys and little memory
     * @param point number of the point that throws, or, negative, how many frames the stack has
     * @return points that the call came by
     * @throws AssertionError if something is not as it should be
     */
    static long run(final String index, final String call, final int variant, final long point) {
        final ErrorCase one = new ErrorCase(index, call, variant);
        one.run(point);
        return one.passed;
    }

    private static String key(final int i, final int variant) {
        final String number = Integer.toString(1_000_000 + i * 7919 % 1_000_000);
        return variant == 0 ? number : "a shared beginning of some length/" + number.substring(0, 4) + "/" + number;
    }

    private static List<WriteScript.Write> script(final String call, final int variant) {
        final List<WriteScript.Write> writes = new ArrayList<>();
        switch (call) {
            case "put":
                for (int i = 0; i < 60; i++) {
                    writes.add(WriteScript.put(key(MAX_KEYS + i, variant), "value " + i));
                }
                break;
            case "update":
                for (int i = 0; i < 12; i++) {
                    writes.add(WriteScript.put(key(i % 8 * 9, variant), "changed ".repeat(i % 3 * 40) + i));
                }
                break;
            case "recycle":
                for (int i = 0; i < 70; i++) { // one of so many looks at what is read, and moves the epoch on
                    writes.add(recycling(i, variant));
                }
                break;
            case "delete":
                for (int i = 0; i < 12; i++) {
                    writes.add(WriteScript.delete(key(i * 30, variant)));
                }
                break;
            case "batch":
                for (int i = 0; i < 4; i++) {
                    final List<String> keys = new ArrayList<>();
                    for (int j = 0; j < 9; j++) {
                        keys.add(key(MAX_KEYS - 4 + i * 9 + j - j % 3, variant));
                    }
                    writes.add(WriteScript.batch(i % 2 == 0 ? null : "5" + i, "6" + i, keys, "batch " + i, key(i, variant)));
                }
                break;
            case "late":
                for (int i = 0; i < 12; i++) {
                    writes.add(WriteScript.late(key(i < 6 ? i : MAX_KEYS + i, variant), "late " + i));
                }
                break;
            case "deleteRange":
                for (int i = 0; i < 5; i++) {
                    final String from = key(i * 3, variant);
                    writes.add(WriteScript.deleteRange(from, from.substring(0, from.length() - 2) + "zz" + i));
                }
                break;
            default:
                break;
        }
        return writes;
    }

    /** An update of one of a few keys, or a batch of three, by values of many lengths. */
    private static WriteScript.Write recycling(final int i, final int variant) {
        final String key = key(i % 5, variant);
        return i % 9 == 8 ? WriteScript.batch(null, null, List.of(key, key(i % 3, variant), key), "again " + i, key(6, variant))
            : WriteScript.put(key, "again ".repeat(i % 4 * 5) + i);
    }

    private Memtable open() {
        return Memtable.open(
            MemtableOptions.builder().index(index).shards(shards).capacityBytes(variant == 0 ? 16 << 20 : 2 << 20)
                .memory(allocator).build());
    }

    private void run(final long point) {
        Throwable error = null;
        if (call.equals("open")) {
            error = armed(point, () -> memtable = open());
            if (memtable == null) {
                check(allocator.open() == 0, allocator.open() + " slabs stay after open() failed", error);
                return;
            }
        }
        memtable = memtable == null ? open() : memtable;
        fill();
        whole = model.copy();
        if (!call.equals("open")) {
            final long bytes = indexBytes();
            error = armed(point, this::call);
            // An update of one of a shard's first keys may replace a long pointer by a short one.
            final long least = bytes - (long) shards * SmallIndex.KEYS * Long.BYTES;
            check(call.equals("close") || indexBytes() >= least, "the index is smaller than before: " + bytes + " bytes", error);
        }
        if (call.equals("close")) {
            memtable.close();
            checkClosed(error);
            return;
        }
        checkReads(error);
        checkAnotherWrite(error);
        checkScan(error);
        checkFlush(error);
        memtable.freeze();
        checkFlush(error);
        memtable.close();
        memtable.close();
        checkClosed(error);
    }

    private long indexBytes() {
        return memtable.stats().shards().stream().mapToLong(MemtableStats.ShardStats::indexBytes).sum();
    }

    /** A write of the form that the call has: without a number, or with reserved ones. */
    private WriteScript.Write first(final String key, final String value) {
        return call.equals("late") ? WriteScript.late(key, value) : WriteScript.put(key, value);
    }

    private void fill() {
        for (int i = 0; i < keys; i++) {
            final WriteScript.Write write = first(key(i, variant), "first " + i);
            write.to(memtable);
            write.to(model);
        }
        for (int i = 0; i < 20 && !call.equals("late"); i++) {
            final WriteScript.Write write =
                i % 2 == 0 ? WriteScript.delete(key(i * 11, variant)) : WriteScript.put(key(i * 11, variant), "second " + i);
            write.to(memtable);
            write.to(model);
        }
        for (int i = 0; i < 400 && call.equals("recycle"); i++) {
            final WriteScript.Write write = recycling(i, variant);
            write.to(memtable);
            write.to(model);
        }
    }

    private Throwable armed(final long point, final Runnable action) {
        if (point > 0) {
            ErrorPoint.armAt(point);
        } else {
            ErrorPoint.armBelow((int) -point);
        }
        Throwable thrown = null;
        try {
            action.run();
        } catch (final Throwable e) {
            thrown = e;
        }
        passed = ErrorPoint.disarm();
        return thrown;
    }

    private void call() {
        switch (call) {
            case "get":
                get();
                break;
            case "cursor":
                cursor();
                break;
            case "flush":
                memtable.flush(new Lines());
                break;
            case "snapshot":
                try (Snapshot snapshot = memtable.snapshot()) {
                    snapshot.get(WriteScript.bytes(key(3, variant)));
                    snapshot.lookup(WriteScript.bytes(key(4, variant)));
                    snapshot.lookup(WriteScript.bytes(key(5, variant)));
                }
                break;
            case "freeze":
                memtable.freeze();
                break;
            case "close":
                memtable.close();
                break;
            default:
                for (final WriteScript.Write write : writes) {
                    write.to(whole); // first: this much it may hold
                    write.to(memtable);
                    write.to(model);
                }
                break;
        }
    }

    private void get() {
        final byte[][] keys = new byte[40][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = WriteScript.bytes(key(i * 8, variant));
            if (i % 4 == 0) {
                memtable.get(keys[i]);
            }
        }
        memtable.getAll(keys, new byte[keys.length][]);
        memtable.stats();
        memtable.isFull();
    }

    private void cursor() {
        try (EntryCursor cursor = memtable.cursor()) {
            cursor.seek(WriteScript.bytes(key(7, variant)));
            for (int i = 0; i < 12; i++) {
                cursor.next();
            }
            for (int i = 0; i < 7 && cursor.previous(); i++) {
                cursor.value();
            }
            cursor.first();
            cursor.last();
        }
    }

    /** What a flush passes on. */
    private static final class Lines implements EntrySink {
        private final List<String> lines = new ArrayList<>();
        private long announced;

        @Override
        public void begin(final long entries, final long bytes, final long ranges) {
            announced = entries + ranges;
        }

        @Override
        public void entry(final EntryView entry) {
            final byte[] value = entry.value();
            lines.add(text(entry.key()) + "=" + (entry.kind() == io.nestling.index.EntryKind.VALUE ? text(value) : null));
        }

        @Override
        public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) {
            lines.add(text(from) + "|" + text(to));
        }

        @Override
        public void end() {
            announced -= lines.size();
        }
    }

    private static String text(final byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private void checkReads(final Throwable error) {
        for (final Map.Entry<String, String> entry : whole.entries().entrySet()) {
            final byte[] found;
            try {
                found = memtable.get(WriteScript.bytes(entry.getKey()));
            } catch (final IllegalStateException e) {
                check(mayRefuse(), "get of " + entry.getKey() + " is refused: " + e, error);
                continue;
            }
            final String value = found == null ? null : text(found);
            check(java.util.Objects.equals(value, entry.getValue())
                || java.util.Objects.equals(value, model.entries().get(entry.getKey())),
                "get of " + entry.getKey() + " gives " + value,
                error);
        }
    }

    /** Whether the error came in a write. */
    private boolean mayRefuse() {
        return !writes.isEmpty();
    }

    private void checkAnotherWrite(final Throwable error) {
        try {
            if (call.equals("late")) {
                memtable.reserveSequences(1).close(); // a write may wait for a reservation whose close was ended
                return;
            }
            memtable.put(WriteScript.bytes(LATER), WriteScript.bytes("later"));
            model.put(LATER, "later");
            whole.put(LATER, "later");
        } catch (final IllegalStateException e) {
            final boolean frozen = call.equals("freeze") && e.getMessage().contains("frozen");
            check(frozen || mayRefuse() && e.getMessage().contains("no more writes"), "another write: " + e, error);
        }
    }

    private void checkScan(final Throwable error) {
        final List<String> lines = new ArrayList<>();
        try (EntryCursor cursor = memtable.cursor()) {
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                lines.add(text(cursor.key()) + "=" + text(cursor.value()));
            }
        } catch (final IllegalStateException e) {
            check(mayRefuse(), "scan is refused: " + e, error);
            return;
        }
        check(lines.equals(model.scanned()) || lines.equals(whole.scanned()),
            () -> "scan: " + difference(model.scanned(), lines), error);
    }

    private void checkFlush(final Throwable error) {
        final Lines sink = new Lines();
        try {
            memtable.flush(sink);
        } catch (final Throwable e) {
            error.addSuppressed(e);
            throw new AssertionError("flush fails: " + e, e);
        }
        final List<String> lines = new ArrayList<>();
        sink.lines.stream().filter(line -> line.contains("|")).sorted().forEach(lines::add);
        sink.lines.stream().filter(line -> !line.contains("|")).forEach(lines::add);
        check(sink.announced == 0, "other numbers announced than passed on", error);
        check(lines.equals(model.flushed()) || lines.equals(whole.flushed()),
            () -> "flush: " + difference(model.flushed(), lines), error);
    }

    private static String difference(final List<String> expected, final List<String> found) {
        final List<String> missing = new ArrayList<>(expected);
        missing.removeAll(found);
        final List<String> more = new ArrayList<>(found);
        more.removeAll(expected);
        return found.size() + " lines for " + expected.size() + ", without " + missing + ", with " + more;
    }

    private void checkClosed(final Throwable error) {
        check(allocator.open() == 0, allocator.open() + " slabs stay after close", error);
        try {
            final Method state = ReadView.class.getDeclaredMethod("state");
            state.setAccessible(true);
            final Object own = state.invoke(memtable);
            final Method budget = own.getClass().getDeclaredMethod("budget");
            budget.setAccessible(true);
            final long used = ((io.nestling.memory.MemoryBudget) budget.invoke(own)).used();
            check(used == 0, used + " bytes stay charged after close", error);
        } catch (final ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static void check(final boolean right, final String message, final Throwable error) {
        check(right, () -> message, error);
    }

    private static void check(final boolean right, final Supplier<String> message, final Throwable error) {
        if (!right) {
            throw new AssertionError(message.get(), error);
        }
    }
}
