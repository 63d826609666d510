/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.skiplist;

import static io.nestling.skiplist.SkipListNodeLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.offheap.Slab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The verifier finds what was broken in a list's memory, and names the invariant. */
class SkipListVerifierTest {
    private static final int KEYS = 500;

    private final ListFixture fixture = new ListFixture(4L << 20);
    private Nodes nodes;
    private Slab slab;

    @BeforeEach
    void fill() {
        for (int i = 0; i < KEYS; i++) {
            fixture.put(i, 1);
        }
        nodes = fixture.list().nodes;
        slab = nodes.slab();
        fixture.list().verify();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void assertBroken(final int invariant) {
        final Exception e = assertThrows(IllegalStateException.class, fixture.list()::verify);
        assertTrue(e.getMessage().startsWith("invariant " + invariant + " is broken: "), e.getMessage());
    }

    /** The first node that is followed by one of the same height. */
    private int nodeOfHeight(final int height) {
        for (int node = nodes.next(HEAD, 0); node != NULL; node = nodes.next(node, 0)) {
            if (height(nodes.meta(node)) == height && height(nodes.meta(nodes.next(node, 0))) == height) {
                return node;
            }
        }
        throw new AssertionError("no two nodes of height " + height + " side by side");
    }

    @Test
    void shouldFindKeysOutOfOrder() {
        final int node = nodeOfHeight(1);
        final int other = nodes.next(node, 0);
        final long payload = nodes.payload(node);
        slab.putLong(offset(node) + PAYLOAD_OFFSET, nodes.payload(other));
        slab.putLong(offset(other) + PAYLOAD_OFFSET, payload);
        final Exception e = assertThrows(IllegalStateException.class, fixture.list()::verify);
        assertTrue(e.getMessage().matches("invariant [13] is broken: .*"), e.getMessage());
    }

    @Test
    void shouldFindALevelThatLeavesANodeOut() {
        final int node = nodes.next(HEAD, 1);
        slab.putInt(linkOffset(HEAD, 1), nodes.next(node, 1));
        assertBroken(2);
    }

    @Test
    void shouldFindALevelThatGoesOn() {
        int last = HEAD;
        while (nodes.next(last, 1) != NULL) {
            last = nodes.next(last, 1);
        }
        slab.putInt(linkOffset(last, 1), nodes.next(HEAD, 1));
        assertBroken(2);
    }

    @Test
    void shouldFindAWrongChunk() {
        final int node = nodeOfHeight(1);
        slab.putLong(offset(node) + CHUNK_OFFSET, nodes.chunk(node) + 1);
        assertBroken(3);
    }

    @Test
    void shouldFindADeadNode() {
        final int node = nodeOfHeight(1);
        slab.putLong(offset(node) + PAYLOAD_OFFSET, nodes.payload(node) | DEAD);
        assertBroken(4);
    }

    @Test
    void shouldFindAMarkedLink() {
        final int node = nodeOfHeight(2);
        slab.putInt(linkOffset(node, 1), nodes.link(node, 1) | MARK);
        assertBroken(4);
    }

    @Test
    void shouldFindAHeightThatCannotBe() {
        final int node = nodeOfHeight(1);
        slab.putInt(offset(node) + META_OFFSET, nodes.meta(node) & ~HEIGHT_MASK);
        assertBroken(5);
    }

    @Test
    void shouldFindALostUnit() {
        fixture.list().arena.allocate(SMALL_UNITS);
        assertBroken(6);
    }

    @Test
    void shouldFindAUnitWithTwoOwners() {
        final int node = nodeOfHeight(1);
        final long chunk = nodes.chunk(node);
        fixture.list().arena.free(node, LOW_UNITS);
        // The verifier reads the whole chunk before it reads the free list, whose link is half of it.
        final Exception e = assertThrows(IllegalStateException.class, fixture.list()::verify);
        assertTrue(e.getMessage().matches("invariant [36] is broken: .*"), e.getMessage());
        assertTrue(nodes.chunk(node) != chunk);
    }

    @Test
    void shouldFindANodeThatTheHashDoesNotHave() {
        final int node = nodeOfHeight(1);
        fixture.list().hash.remove(hashOf(node), node);
        assertBroken(8);
    }

    @Test
    void shouldFindASlotOfANodeThatIsNotListed() {
        final NodeHash hash = fixture.list().hash;
        final int node = nodeOfHeight(1);
        final long place = hash.lock(hashOf(node));
        hash.add(place, hashOf(node), node + 1);
        hash.unlock(place);
        assertBroken(8);
    }

    @Test
    void shouldFindALockedBucket() {
        fixture.list().hash.lock(hashOf(nodeOfHeight(1)));
        assertBroken(8);
    }

    private long hashOf(final int node) {
        final byte[] key = ListFixture.key(ListFixture.numberOf(nodes.payload(node)));
        return ListFixture.HASH.hash(key, 0, key.length);
    }

    @Test
    void shouldFindAMissingEntry() {
        final Exception e = assertThrows(IllegalStateException.class,
            () -> new SkipListVerifier(nodes, fixture.list().arena, fixture.list().hash, KEYS + 1).verify());
        assertTrue(e.getMessage().startsWith("invariant 7 is broken: "), e.getMessage());
        assertEquals(KEYS, fixture.list().entryCount());
    }
}
