/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.memtable.Memtable;
import io.nestling.memtable.SequenceReservation;
import io.nestling.memtable.WriteBatch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes to a memtable, and the map that says what it holds after the first few of them: a value for each key, or null for a
 * tombstone, and the ranges that were deleted. Keys and values are ASCII.
 */
final class WriteScript {
    private static final char RANGE = '|';

    /** One write of a script, which goes to a memtable and to a model. */
    interface Write {
        /** Writes to a memtable. */
        void to(Memtable memtable);

        /** Writes to a model. */
        void to(Model model);
    }

    /** What a memtable holds. */
    static final class Model {
        private final TreeMap<String, String> entries = new TreeMap<>();
        private final List<String> ranges = new ArrayList<>();

        Model copy() {
            final Model copy = new Model();
            copy.entries.putAll(entries);
            copy.ranges.addAll(ranges);
            return copy;
        }

        void put(final String key, final String value) {
            entries.put(key, value);
        }

        void deleteRange(final String from, final String to) {
            entries.subMap(from, to).clear();
            ranges.add(from + RANGE + to);
        }

        Map<String, String> entries() {
            return entries;
        }

        /** The lines of a flush: ranges in order, then entries. */
        List<String> flushed() {
            final List<String> lines = new ArrayList<>(ranges);
            lines.sort(null);
            entries.forEach((key, value) -> lines.add(key + "=" + value));
            return lines;
        }

        /** The lines of a scan. */
        List<String> scanned() {
            final List<String> lines = new ArrayList<>();
            entries.forEach((key, value) -> {
                if (value != null) {
                    lines.add(key + "=" + value);
                }
            });
            return lines;
        }
    }

    private WriteScript() {
    }

    static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static Write put(final String key, final String value) {
        return new Write() {
            @Override
            public void to(final Memtable memtable) {
                memtable.put(bytes(key), bytes(value));
            }

            @Override
            public void to(final Model model) {
                model.put(key, value);
            }
        };
    }

    static Write delete(final String key) {
        return new Write() {
            @Override
            public void to(final Memtable memtable) {
                memtable.delete(bytes(key));
            }

            @Override
            public void to(final Model model) {
                model.put(key, null);
            }
        };
    }

    /** Two puts of one key with reserved numbers, of which the one with the lower number comes later. */
    static Write late(final String key, final String value) {
        return new Write() {
            @Override
            public void to(final Memtable memtable) {
                try (SequenceReservation numbers = memtable.reserveSequences(3)) {
                    numbers.put(bytes(key), bytes(value), numbers.last());
                    numbers.put(bytes(key), bytes("early " + value), numbers.first());
                }
            }

            @Override
            public void to(final Model model) {
                model.put(key, value);
            }
        };
    }

    static Write deleteRange(final String from, final String to) {
        return new Write() {
            @Override
            public void to(final Memtable memtable) {
                memtable.deleteRange(bytes(from), bytes(to));
            }

            @Override
            public void to(final Model model) {
                model.deleteRange(from, to);
            }
        };
    }

    /** A batch: a range if it is not null, then puts of keys, then a tombstone. */
    static Write batch(final String from, final String to, final List<String> keys, final String value, final String deleted) {
        return new Write() {
            @Override
            public void to(final Memtable memtable) {
                final WriteBatch batch = new WriteBatch();
                if (from != null) {
                    batch.deleteRange(bytes(from), bytes(to));
                }
                keys.forEach(key -> batch.put(bytes(key), bytes(value)));
                memtable.write(batch.delete(bytes(deleted)));
            }

            @Override
            public void to(final Model model) {
                if (from != null) {
                    model.deleteRange(from, to);
                }
                keys.forEach(key -> model.put(key, value));
                model.put(deleted, null);
            }
        };
    }
}
