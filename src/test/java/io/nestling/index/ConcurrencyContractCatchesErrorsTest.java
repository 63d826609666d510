/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import io.nestling.testing.ReferenceIndex;
import org.junit.jupiter.api.Test;

import java.util.function.UnaryOperator;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Indexes that are right for one thread, each with an error that only a reader beside the writer can meet.
 */
class ConcurrencyContractCatchesErrorsTest {
    /** On a busy machine, no reader may run at the wrong moment of the writer within one attempt. */
    private static final int ATTEMPTS = 5;

    /** Holds a wrong state for some microseconds and lets others run. */
    private static void pause() {
        for (int i = 0; i < 100; i++) {
            Thread.onSpinWait();
        }
        Thread.yield();
    }

    private static void assertCaught(final UnaryOperator<OrderedIndex> broken, final String... oneOf) {
        final IndexConcurrencyContract contract = new IndexConcurrencyContract() {
            @Override
            protected IndexFactory factory() {
                return new TwinFactory(broken);
            }
        };
        final AssertionError e = assertThrows(AssertionError.class, () -> {
            for (int i = 0; i < ATTEMPTS; i++) {
                contract.shouldShowReadersEveryPublishedWrite();
            }
        });
        boolean named = false;
        for (final String part : oneOf) {
            named |= e.getMessage().contains(part);
        }
        assertTrue(named, e::getMessage);
    }

    @Test
    void shouldFindAnEntryPublishedBeforeItIsFilled() {
        assertCaught(index -> new ForwardingIndex(index) {
            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                final long before = super.put(key, offset, length, 0);
                pause();
                super.put(key, offset, length, payload);
                return before;
            }
        }, "answers key 0 generation 0");
    }

    @Test
    void shouldFindAWriteThatBecomesVisibleLate() {
        assertCaught(index -> new ForwardingIndex(index) {
            private byte[] lateKey;
            private long latePayload;

            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                final long before = super.get(key, offset, length);
                verify(); // applies what is late
                lateKey = java.util.Arrays.copyOfRange(key, offset, offset + length);
                latePayload = payload;
                return before;
            }

            @Override
            public long remove(final byte[] key, final int offset, final int length) {
                applyLate();
                return super.remove(key, offset, length);
            }

            private void applyLate() {
                if (lateKey != null) {
                    super.put(lateKey, 0, lateKey.length, latePayload);
                    lateKey = null;
                }
            }

            @Override
            public void verify() {
                applyLate();
            }
        }, "it was published", "it has been there", "it can only be", "was left out");
    }

    @Test
    void shouldFindAnUpdateThatRemovesFirst() {
        assertCaught(index -> new ForwardingIndex(index) {
            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                final long before = super.remove(key, offset, length);
                pause();
                super.put(key, offset, length, payload);
                return before;
            }
        }, "it has been there");
    }

    @Test
    void shouldFindAGenerationThatGoesBack() {
        assertCaught(index -> new ForwardingIndex(index) {
            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                final long before = super.put(key, offset, length, payload);
                if (before != NONE) {
                    pause();
                    super.put(key, offset, length, before);
                    pause();
                    super.put(key, offset, length, payload);
                }
                return before;
            }
        }, "it can only be of generation");
    }

    @Test
    void shouldFindAnEntryMissingWhileItsNeighboursMove() {
        assertCaught(index -> new ForwardingIndex(index) {
            private int puts;

            @Override
            public long put(final byte[] key, final int offset, final int length, final long payload) {
                final long before = super.put(key, offset, length, payload);
                if (++puts % 16 == 0) {
                    moveNeighbour(key, offset, length);
                }
                return before;
            }

            private void moveNeighbour(final byte[] key, final int offset, final int length) {
                final EntryCursor cursor = cursor();
                if (cursor.seekLowerThan(key, offset, length)) {
                    final byte[] moved = cursor.key();
                    final long payload = super.remove(moved, 0, moved.length);
                    pause();
                    super.put(moved, 0, moved.length, payload);
                }
            }
        }, "it was published", "it has been there", "was left out");
    }

    @Test
    void shouldFindAKeyThatACursorSkips() {
        assertCaught(index -> new ForwardingIndex(index) {
            @Override
            public EntryCursor cursor() {
                return new ForwardingCursor(super.cursor()) {
                    private int steps;

                    @Override
                    public boolean next() {
                        return super.next() && (++steps % 30 != 0 || super.next());
                    }
                };
            }
        }, "was left out", "commonPrefix");
    }

    /** Breaks an index that is right for concurrent readers. */
    private record TwinFactory(UnaryOperator<OrderedIndex> broken) implements IndexFactory {
        @Override
        public PointIndex create(final IndexContext context) {
            return broken.apply((OrderedIndex) ReferenceIndex.concurrentFactory().create(context));
        }

        @Override
        public String indexName() {
            return "twin";
        }

        @Override
        public boolean ordered() {
            return true;
        }

        @Override
        public boolean storesKeys() {
            return true;
        }

        @Override
        public boolean concurrentWriters() {
            return false;
        }
    }
}
