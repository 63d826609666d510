/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.KeyBatch;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.offheap.Claim;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.RecordLayout;
import io.nestling.offheap.RecordStore;
import io.nestling.offheap.SlabAllocator;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An index without a memtable and some writes of it, in one of which an error is thrown. Loaded by {@link ErrorInjector}.
 * <p>
 * Afterwards each key has its payload, but for the key of that write, which may have the one of before or after, or reads throw
 * {@link IllegalStateException}; another write works or throws the same; the index can be closed, and charges nothing then.
 */
final class IndexErrorCase {
    /** The calls that an error is thrown in. */
    static final List<String> CALLS = List.of("index put", "index remove", "index get", "index first");
    private static final int KEYS = 420;
    private static final int WRITES = 50;
    /* While an index is small, many of its entries share a bucket. */
    private static final int FIRST_KEYS = 5;
    private static final int FIRST_WRITES = 16;
    private static final long BYTES = 8L << 20;

    private final EpochReclaimer epochs = new EpochReclaimer();
    private final MemoryBudget budget = MemoryBudget.ofBytes(BYTES);
    private final RecordStore records = new RecordStore(SlabAllocator.direct(), budget, 2L << 20);
    private final TreeMap<String, Long> model = new TreeMap<>();
    private final TreeMap<String, Long> whole = new TreeMap<>();
    private final PointIndex index;
    private final int variant;

    private IndexErrorCase(final String type, final int variant) {
        this.index = IndexType.ofName(type).create(new IndexContext(SlabAllocator.direct(), budget, epochs, records, BYTES / 2));
        this.variant = variant;
    }

    /** Runs a case; see {@link ErrorCase#run}. */
    static long run(final String type, final String call, final int variant, final long point) {
        return new IndexErrorCase(type, variant).run(call, point);
    }

    private String key(final int i) {
        final String number = Integer.toString(10_000_000 + i * 79_199 % 10_000_000);
        return variant == 0 ? number : "a beginning of some length that is shared/" + number.charAt(3) + "/" + number;
    }

    private static byte[] bytes(final String key) {
        return key.getBytes(StandardCharsets.US_ASCII);
    }

    private long record(final byte[] key) {
        return records.append(RecordLayout.versionWord(1, 1, false, true), RecordLayout.NO_RECORD, key, 0, key.length, 0);
    }

    private void put(final String key) {
        final byte[] bytes = bytes(key);
        final long record = record(bytes);
        whole.put(key, record);
        index.put(bytes, 0, bytes.length, record);
        model.put(key, record);
    }

    private void remove(final String key) {
        whole.remove(key);
        index.remove(bytes(key), 0, key.length());
        model.remove(key);
    }

    private long run(final String call, final long point) {
        final boolean first = call.equals("index first");
        for (int i = 0; i < (first ? FIRST_KEYS : KEYS); i++) {
            put(key(i));
        }
        if (point > 0) {
            ErrorPoint.armAt(point);
        } else {
            ErrorPoint.armBelow((int) -point);
        }
        Throwable error = null;
        try {
            for (int i = 0; i < (first ? FIRST_WRITES : WRITES); i++) {
                call(call, i);
            }
        } catch (final Throwable e) {
            error = e;
        }
        final long passed = ErrorPoint.disarm();
        checkReads(error);
        checkWrite(call, error);
        checkScan(error);
        index.close();
        index.close();
        records.close();
        check(budget.used() == 0, budget.used() + " bytes stay charged after close", error);
        return passed;
    }

    private void call(final String call, final int i) {
        switch (call) {
            case "index put":
                put(key(i % 5 == 0 ? i : KEYS + i));
                break;
            case "index first":
                put(key(i % 5 == 0 ? i : FIRST_KEYS + i));
                break;
            case "index remove":
                remove(key(i * 8));
                break;
            default:
                final Claim guard = epochs.guard();
                try {
                    get(key(i));
                    if (i == 0) {
                        final KeyBatch keys = new KeyBatch(20);
                        for (int j = 0; j < 20; j++) {
                            keys.add(bytes(key(j)), 0, key(j).length());
                        }
                        index.getAll(keys, new long[20]);
                    }
                } finally {
                    guard.held = Claim.FREE;
                }
                break;
        }
    }

    private long get(final String key) {
        return index.get(bytes(key), 0, key.length());
    }

    private void checkReads(final Throwable error) {
        final Claim guard = epochs.guard();
        try {
            for (int i = 0; i < KEYS + WRITES + 10; i++) {
                final String key = key(i);
                final long found;
                try {
                    found = get(key);
                } catch (final IllegalStateException e) {
                    check(error != null, "get of " + key + " is refused: " + e, error);
                    continue;
                }
                check(found == model.getOrDefault(key, PointIndex.NONE) || found == whole.getOrDefault(key, PointIndex.NONE),
                    "get of " + key + " gives " + found, error);
            }
        } finally {
            guard.held = Claim.FREE;
        }
    }

    private void checkWrite(final String call, final Throwable error) {
        try {
            put("zz another");
        } catch (final IllegalStateException e) {
            check(error != null && !call.equals("index get") && e.getMessage().contains("no more writes"),
                "another write: " + e, error);
        }
    }

    private void checkScan(final Throwable error) {
        if (!(index instanceof OrderedIndex)) {
            return;
        }
        final TreeMap<String, Long> found = new TreeMap<>();
        final Claim guard = epochs.guard();
        try (EntryCursor cursor = ((OrderedIndex) index).cursor()) {
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                found.put(new String(cursor.key(), StandardCharsets.US_ASCII), cursor.payload());
            }
        } catch (final IllegalStateException e) {
            check(error != null, "scan is refused: " + e, error);
            return;
        } finally {
            guard.held = Claim.FREE;
        }
        check(found.equals(model) || found.equals(whole) || isBetween(found),
            "scan gives " + found.size() + " keys for " + model.size(),
            error);
    }

    /** Whether what was found differs from the model as the writes that were begun may have left it. */
    private boolean isBetween(final Map<String, Long> found) {
        final TreeMap<String, Long> all = new TreeMap<>(model);
        all.putAll(whole);
        for (final String key : all.keySet()) {
            final Long payload = found.get(key);
            if (!java.util.Objects.equals(payload, model.get(key)) && !java.util.Objects.equals(payload, whole.get(key))) {
                return false;
            }
        }
        return all.keySet().containsAll(found.keySet());
    }

    private static void check(final boolean right, final String message, final Throwable error) {
        if (!right) {
            throw new AssertionError(message, error);
        }
    }
}
