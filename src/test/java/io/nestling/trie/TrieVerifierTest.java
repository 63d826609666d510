/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.index.PointIndex;
import io.nestling.offheap.Slab;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Locale;

/** The verifier finds what was broken in a trie's memory, and names the invariant. */
class TrieVerifierTest {
    private final TrieBytes trie = new TrieBytes();
    private Slab slab;
    private TrieNodes nodes;

    @BeforeEach
    void open() {
        slab = trie.nodes().slab();
        nodes = trie.nodes();
    }

    @AfterEach
    void close() {
        trie.close();
    }

    /** Puts one-byte keys that count up from 0 in steps. */
    private int branches(final int count, final int step) {
        for (int i = 0; i < count; i++) {
            trie.put(String.format(Locale.ROOT, "%02x", i * step), i);
        }
        trie.trie().verify();
        return nodes.root();
    }

    private void assertBroken(final int invariant) {
        final Exception e = assertThrows(IllegalStateException.class, trie.trie()::verify);
        assertTrue(e.getMessage().startsWith("trie invariant " + invariant + " is broken: "), e.getMessage());
    }

    private void flip(final long offset, final int bits) {
        slab.putByte(offset, (byte) (slab.getByte(offset) ^ bits));
    }

    @Test
    void shouldFindAPointerOutOfTheSlab() {
        branches(3, 1);
        slab.putInt(ROOT_OFFSET, pointer(1 << 20, SPARSE));
        assertBroken(1);
    }

    @Test
    void shouldFindAPointerToTheReservedBytes() {
        trie.put("6161", 1);
        slab.putInt(nodes.chainChildSlot(nodes.root()), pointer(BLOCK_BYTES, CHAIN));
        assertBroken(2);
    }

    @Test
    void shouldFindABlockOfTwoNodes() {
        trie.put("616161", 1);
        trie.put("626161", 2);
        final int root = nodes.root();
        slab.putInt(nodes.sparseChildSlot(root, 1), nodes.child(root, 0x61));
        assertBroken(2);
    }

    @Test
    void shouldFindALostBlock() {
        trie.put("616161", 5);
        // The chain is left out, and its leaf stands at the root.
        slab.putInt(ROOT_OFFSET, inlineLeaf(5));
        assertBroken(2);
    }

    @Test
    void shouldFindASlotInTheFreeList() {
        trie.put("61", PointIndex.MAX_PAYLOAD);
        trie.put("62", 1);
        final long slot = slotOffset(nodes.child(nodes.root(), 0x61));
        trie.trie().blocks.free(slot, HALF_CLASS);
        assertBroken(2);
    }

    @Test
    void shouldFindASmallPayloadInASlot() {
        trie.put("61", PointIndex.MAX_PAYLOAD);
        slab.putLong(slotOffset(nodes.pointerAt(nodes.chainChildSlot(nodes.root()))), 3);
        assertBroken(2);
    }

    @Test
    void shouldFindAChainThatIsTooLongForItsLayout() {
        trie.put("61".repeat(14), 1);
        flip(ChainNodeLayout.base(nodes.root()) + ChainNodeLayout.START_OFFSET, 14 ^ 20);
        assertBroken(3); // eight transitions in a whole block
    }

    @Test
    void shouldFindAnEmptyChain() {
        trie.put("6161", 1);
        final long start = ChainNodeLayout.base(nodes.root()) + ChainNodeLayout.START_OFFSET;
        slab.putByte(start, (byte) ChainNodeLayout.SHORT_CHILD_OFFSET);
        assertBroken(3);
    }

    @Test
    void shouldFindAChainWithoutAChild() {
        trie.put("6161", 1);
        slab.putInt(nodes.chainChildSlot(nodes.root()), NONE);
        assertBroken(3);
    }

    @Test
    void shouldFindAnEmptyChainInAPrefixNode() {
        trie.put("", 1);
        trie.put("6161", 2);
        final long form = offset(nodes.root()) + PrefixNodeLayout.FORM_OFFSET;
        slab.putByte(form, (byte) PrefixNodeLayout.CHILD_OFFSET);
        assertBroken(3);
    }

    @Test
    void shouldFindEachWrongByteOfASparseNode() {
        final int root = branches(4, 7);
        final long meta = offset(root) + SparseNodeLayout.META_OFFSET;
        for (int i = 0; i < SparseNodeLayout.MAX_CHILDREN; i++) {
            // Transitions 0, 7, 14 and 21; one that leaves the order as it was would be as good a node.
            final int bits = i == 3 ? 21 ^ 14 : 0x80;
            flip(meta + i, bits);
            assertBroken(4);
            flip(meta + i, bits);
        }
        for (int bit = 0; bit < Short.SIZE; bit++) {
            flip(meta + SparseNodeLayout.MAX_CHILDREN + bit / Byte.SIZE, 1 << bit % Byte.SIZE);
            assertBroken(4);
            flip(meta + SparseNodeLayout.MAX_CHILDREN + bit / Byte.SIZE, 1 << bit % Byte.SIZE);
        }
        trie.trie().verify();
    }

    @Test
    void shouldFindAStrayChildOfASparseNode() {
        final int root = branches(3, 7);
        slab.putInt(nodes.sparseChildSlot(root, 5), inlineLeaf(1));
        assertBroken(4);
    }

    @Test
    void shouldFindASparseNodeWithOneChild() {
        final int root = branches(2, 1);
        slab.putLong(offset(root) + SparseNodeLayout.META_OFFSET, 0);
        assertBroken(4);
    }

    @Test
    void shouldFindASplitNodeWithFewChildren() {
        final int root = branches(25, 1);
        assertEquals(SPLIT, type(root));
        for (int i = 3; i < 25; i++) {
            if (i % SplitNodeLayout.CHILDREN != 0) { // no tail block is left empty
                slab.putInt(nodes.childSlot(root, i), NONE);
            }
        }
        for (int i = 1; i < 3; i++) {
            slab.putInt(nodes.childSlot(root, i), NONE);
        }
        assertBroken(5);
    }

    @Test
    void shouldFindABroadNodeWithFewChildren() {
        final int root = branches(7, 1);
        assertEquals(BROAD, type(root));
        for (int i = 3; i < 7; i++) {
            slab.putInt(nodes.childSlot(root, i), NONE);
        }
        assertBroken(9);
    }

    @Test
    void shouldFindABroadNodeThatListsATransitionTwice() {
        final long base = offset(branches(9, 1));
        slab.putLong(base, slab.getLong(base) & -0x100 | 3);
        assertBroken(9);
    }

    @Test
    void shouldFindABroadNodeWithAStrayChild() {
        final long base = offset(branches(9, 1));
        slab.putInt(BroadNodeLayout.childSlot(base, 9), inlineLeaf(5));
        assertBroken(9);
    }

    @Test
    void shouldFindAnEmptyTailBlock() {
        final int root = branches(25, 1);
        slab.putInt(nodes.childSlot(root, 24), NONE); // the only one in its tail block
        assertBroken(5);
    }

    @Test
    void shouldFindAnEmptyMidBlock() {
        final int root = branches(25, 1);
        final int mid = nodes.pointerAt(offset(root) + SplitNodeLayout.midSlot(0));
        final long midBlock = SplitNodeLayout.blockOffset(mid);
        for (int i = 0; i < SplitNodeLayout.TAILS; i++) {
            slab.putInt(midBlock + SplitNodeLayout.tailSlot(i * SplitNodeLayout.CHILDREN), NONE);
        }
        assertBroken(5);
    }

    @Test
    void shouldFindAFlatSplitNodeWithFewTails() {
        final int root = branches(256, 1);
        assertEquals(FLAT, type(root));
        for (int i = SplitNodeLayout.SPLIT_TAILS * SplitNodeLayout.CHILDREN; i < 256; i++) {
            slab.putInt(nodes.childSlot(root, i), NONE);
        }
        assertBroken(6);
    }

    @Test
    void shouldFindContentThatIsNoLeaf() {
        trie.put("", 1);
        trie.put("6161", 2);
        slab.putInt(offset(nodes.root()) + PrefixNodeLayout.CONTENT_OFFSET, pointer(96, SPARSE));
        assertBroken(7);
    }

    @Test
    void shouldFindAPrefixNodeBeforeALeafOrAPrefixNode() {
        branches(2, 1);
        trie.put("", 1);
        final long child = nodes.chainChildSlot(nodes.root());
        slab.putInt(child, inlineLeaf(3));
        assertBroken(7);
        slab.putInt(child, pointer(96, PREFIX));
        assertBroken(7);
        slab.putInt(child, NONE);
        assertBroken(7);
    }

    @Test
    void shouldFindAWrongEntryCount() {
        final int root = branches(7, 1);
        slab.putInt(nodes.childSlot(root, 6), NONE);
        assertBroken(8);
    }
}
