/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.index.ConcurrentIndex;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.IndexFactory;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memory.SpaceExhaustedException;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.KeySource;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.SlabAllocator;
import io.nestling.schedule.Scenario;
import io.nestling.schedule.Scheduler;
import io.nestling.schedule.Trace;
import io.nestling.schedule.UnmodelledWrites;
import io.nestling.schedule.scenario.Event.Move;
import io.nestling.schedule.scenario.Operation.What;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A workload on one index. Each put has a payload of its own, so that what a read returns tells which write it saw. The key of a
 * payload stands in a record, as in a memtable: who asks for it before it has seen the record's write gets an empty one, and no
 * read may return such a payload.
 */
final class IndexScenario implements Scenario {
    private static final long MAX_BYTES = 4L << 20;
    private static final int NUMBER_MASK = (1 << Keys.NUMBER_BITS) - 1;
    /** The highest bit of a payload: most indexes keep such a payload apart from its key. */
    private static final long LARGE = 1L << 61;
    private static final byte[] UNWRITTEN = {};

    private final IndexFactory factory;
    private final Workload workload;
    private final Keys keys;
    private final boolean oneMoment;
    private final boolean largePayloads;
    private final List<Event> events = new ArrayList<>();
    /** The writes of the records, by the payloads' numbers. */
    private final List<Long> records = new ArrayList<>();
    private long[] initial;
    private EpochReclaimer epochs;
    private PointIndex index;

    /**
     * Makes a scenario.
     *
     * @param oneMoment whether a cursor's position is that of one moment
     * @param largePayloads whether every other payload is a large one
     */
    IndexScenario(
        final IndexFactory factory, final Workload workload, final boolean oneMoment, final boolean largePayloads) {
        this.factory = factory;
        this.workload = workload;
        this.keys = workload.keys();
        this.oneMoment = oneMoment;
        this.largePayloads = largePayloads;
    }

    /** Keys of payloads; one that was never given has none. */
    private final class PayloadKeys implements KeySource {
        private byte[] key(final long payload) {
            final long number = payload & NUMBER_MASK;
            final long put = (payload & ~LARGE) >>> Keys.NUMBER_BITS;
            if (payload < 0 || put >= records.size() || number >= keys.size()) {
                throw new IllegalStateException(
                    "the key of a payload that was never put is asked for: " + Long.toHexString(payload));
            }
            return isWritten(payload) ? keys.key((int) number) : UNWRITTEN;
        }

        @Override
        public int keyLength(final long payload) {
            return key(payload).length;
        }

        @Override
        public int copyKey(final long payload, final byte[] destination, final int offset) {
            final byte[] key = key(payload);
            System.arraycopy(key, 0, destination, offset, key.length);
            return key.length;
        }

        @Override
        public int compareKey(final long payload, final byte[] key, final int offset, final int length) {
            return Arrays.compareUnsigned(key(payload), 0, key(payload).length, key, offset, offset + length);
        }

        @Override
        public long address(final long payload) {
            return 0;
        }

        @Override
        public void addTo(final PrefetchVector lines, final long payload, final int length) {
            // Nothing of a key here is off heap.
        }
    }

    private long payload(final int key) {
        final long put = records.size();
        records.add(UnmodelledWrites.written());
        return (largePayloads && put % 2 != 0 ? LARGE : 0) | put << Keys.NUMBER_BITS | key;
    }

    private boolean isWritten(final long payload) {
        return UnmodelledWrites.isSeen(records.get((int) ((payload & ~LARGE) >>> Keys.NUMBER_BITS)));
    }

    /** Returns a payload that a read found. */
    private long found(final long payload) {
        if (payload != PointIndex.NONE && !isWritten(payload)) {
            throw new IllegalStateException("the record of a payload could be read before it is written: "
                + Long.toHexString(payload));
        }
        return payload;
    }

    @Override
    public void setUp() {
        events.clear();
        records.clear();
        epochs = new EpochReclaimer();
        index = factory.create(
            new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(MAX_BYTES), epochs, new PayloadKeys(), MAX_BYTES));
        initial = new long[keys.size()];
        Arrays.fill(initial, PointIndex.NONE);
        for (final int each : workload.before()) {
            final int number = each < 0 ? ~each : each;
            final byte[] key = keys.key(number);
            initial[number] = each < 0 ? PointIndex.NONE : payload(number);
            if (each < 0) {
                index.remove(key, 0, key.length);
            } else {
                index.put(key, 0, key.length, initial[number]);
            }
        }
    }

    @Override
    public String[] names() {
        final String[] names = new String[workload.programs().size()];
        Arrays.setAll(names, i -> {
            final List<Operation> program = workload.programs().get(i);
            return (program.isEmpty() || program.get(0).what().ordinal() < What.GET.ordinal() ? "writer" : "reader") + i;
        });
        return names;
    }

    @Override
    public Runnable[] bodies() {
        final Runnable[] bodies = new Runnable[workload.programs().size()];
        Arrays.setAll(bodies, fiber -> () -> {
            for (final Operation operation : workload.programs().get(fiber)) {
                Trace.add("== fiber " + fiber + " begins " + operation);
                perform(fiber, operation);
                Trace.add("== fiber " + fiber + " has ended " + operation);
                Scheduler.betweenOperations();
            }
        });
        return bodies;
    }

    private void perform(final int fiber, final Operation operation) {
        switch (operation.what()) {
            case ADVANCE -> epochs.tryAdvance();
            case GET -> {
                final long from = Scheduler.operationBegins();
                final long found = get(operation.key());
                events.add(Event.get(fiber, operation.key(), found, from, Scheduler.operationEnds()));
            }
            case GET_ALL -> getAll(fiber, operation);
            case SCAN, BACK_SCAN, ZIGZAG -> scan(fiber, operation);
            default -> write(fiber, operation);
        }
    }

    private long get(final int number) {
        final byte[] key = keys.key(number);
        final int guard = epochs.enter();
        final long found = found(index.get(key, 0, key.length));
        epochs.exit(guard);
        return found;
    }

    private void getAll(final int fiber, final Operation operation) {
        final KeyBatch batch = new KeyBatch();
        for (final int number : operation.keys()) {
            batch.add(keys.key(number), 0, keys.key(number).length);
        }
        final long[] payloads = new long[operation.keys().length];
        final long from = Scheduler.operationBegins();
        final int guard = epochs.enter();
        index.getAll(batch, payloads);
        epochs.exit(guard);
        final long to = Scheduler.operationEnds();
        for (int i = 0; i < payloads.length; i++) {
            events.add(Event.get(fiber, operation.keys()[i], found(payloads[i]), from, to));
        }
    }

    private void write(final int fiber, final Operation operation) {
        final int number = operation.key();
        final byte[] key = keys.key(number);
        final long expected = operation.what() == What.REPLACE ? get(number) : 0;
        if (operation.what() == What.REPLACE && expected == PointIndex.NONE) {
            return;
        }
        final long argument = operation.what() == What.REMOVE ? PointIndex.NONE : payload(number);
        final long from = Scheduler.operationBegins();
        final long result;
        try {
            result = switch (operation.what()) {
                case PUT -> index.put(key, 0, key.length, argument);
                case REMOVE -> index.remove(key, 0, key.length);
                case PUT_IF_ABSENT -> ((ConcurrentIndex) index).putIfAbsent(key, 0, key.length, argument);
                default -> ((ConcurrentIndex) index).replace(key, 0, key.length, expected, argument) ? 1 : 0;
            };
        } catch (final SpaceExhaustedException e) {
            return;
        }
        events.add(new Event(operation.what(), fiber, number, argument, expected, result, from, Scheduler.operationEnds(), null));
    }

    private void scan(final int fiber, final Operation operation) {
        final List<Move> moves = new ArrayList<>();
        final byte[] key = operation.key() < 0 ? null : keys.key(operation.key());
        final long begin = Scheduler.operationBegins();
        final int guard = epochs.enter();
        try (EntryCursor cursor = ((OrderedIndex) index).cursor()) {
            boolean forward = operation.what() != What.BACK_SCAN;
            boolean more = forward ? key == null ? cursor.first() : cursor.seek(key)
                : key == null ? cursor.last() : cursor.seekLowerThan(key);
            moves.add(move(cursor, forward, begin, more));
            for (int i = 0; i < operation.moves() && more; i++) {
                forward = operation.movesForward(i);
                final long from = Scheduler.tick();
                more = forward ? cursor.next() : cursor.previous();
                moves.add(move(cursor, forward, from, more));
            }
        }
        epochs.exit(guard);
        events.add(new Event(operation.what(), fiber, operation.key(), 0, 0, 0, begin, Scheduler.operationEnds(), moves));
    }

    private Move move(final EntryCursor cursor, final boolean forward, final long from, final boolean more) {
        final byte[] key = more ? cursor.key() : null;
        final long payload = more ? found(cursor.payload()) : PointIndex.NONE;
        int number = more ? (int) payload & NUMBER_MASK : -1;
        if (more && (number >= keys.size() || !Arrays.equals(keys.key(number), key))) {
            number = -1;
        }
        return new Move(forward, from, Scheduler.operationEnds(), key, payload, number);
    }

    @Override
    public int[] operations() {
        return workload.programs().stream().mapToInt(List::size).toArray();
    }

    @Override
    public int samples() {
        return workload.samples();
    }

    @Override
    public String judge() {
        try {
            index.verify();
            for (int number = 0; number < keys.size(); number++) {
                final long found = index.get(keys.key(number), 0, keys.key(number).length);
                final long time = Scheduler.tick();
                events.add(Event.get(-1, number, found, time, time));
            }
        } catch (final RuntimeException | Error e) {
            final String wrong = new IndexOracle(keys, initial, events, oneMoment).check();
            return "VERIFY " + e + (wrong == null ? "" : "\n" + wrong);
        }
        final String wrong = new IndexOracle(keys, initial, events, oneMoment).check();
        index.close();
        return wrong;
    }

    @Override
    public String toString() {
        return factory + " " + workload;
    }
}
