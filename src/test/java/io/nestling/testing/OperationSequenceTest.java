/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import io.nestling.testing.OperationSequence.Kind;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OperationSequenceTest {
    private static final KeyCorpus PATHS = KeyCorpus.named("paths");

    @Test
    void shouldShrinkToTheOperationsThatMatter() {
        final OperationSequence sequence = OperationSequence.random(PATHS, 5, 400);
        final AssertionError e = assertThrows(AssertionError.class, () -> sequence.check(tried -> {
            // Fails when a put of argument 10 or more is followed by a remove.
            boolean put = false;
            for (final OperationSequence.Operation operation : tried.operations()) {
                put |= operation.kind() == Kind.PUT && operation.argument() >= 10;
                if (put && operation.kind() == Kind.REMOVE) {
                    throw new IllegalStateException("broken by " + operation);
                }
            }
        }));
        assertTrue(e.getMessage().contains("seed 5"), e.getMessage());
        assertTrue(e.getMessage().contains("400 operations fail, and so do 2:"), e.getMessage());
        assertTrue(e.getMessage().contains("PUT") && e.getMessage().contains("REMOVE"), e.getMessage());
        assertTrue(e.getMessage().contains("broken by"), e.getMessage());
    }

    @Test
    void shouldDrawTheSameOperationsFromTheSameSeed() {
        for (int count = 0; count < 50; count++) {
            assertEquals(
                OperationSequence.random(PATHS, 77, count).operations(),
                OperationSequence.random(PATHS, 77, count).operations());
            assertEquals(count, OperationSequence.random(PATHS, 77, count).operations().size());
        }
    }

    @Test
    void shouldDrawEveryKindOfOperation() {
        final Set<Kind> drawn = EnumSet.noneOf(Kind.class);
        OperationSequence.random(PATHS, 3, 1_000).operations()
            .forEach(operation -> drawn.add(operation.kind()));
        assertEquals(EnumSet.allOf(Kind.class), drawn);
    }

    @Test
    void shouldHoldDistinctKeysWithinTheLimit() {
        assertTrue(KeyCorpus.all().size() > 15);
        for (final KeyCorpus corpus : KeyCorpus.all()) {
            final TreeSet<byte[]> distinct = new TreeSet<>(Arrays::compareUnsigned);
            distinct.addAll(corpus.keys());
            assertEquals(corpus.size(), distinct.size(), corpus.name());
            for (final byte[] key : corpus.keys()) {
                for (int variant = 0; variant < KeyCorpus.NEIGHBOURS; variant++) {
                    final int length = KeyCorpus.neighbour(key, variant).length;
                    assertTrue(length <= KeyCorpus.MAX_KEY_BYTES, corpus.name());
                }
            }
        }
        assertTrue(KeyCorpus.named("longest keys").keyBytes() > 5L * KeyCorpus.MAX_KEY_BYTES);
    }
}
