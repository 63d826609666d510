/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

import static io.nestling.trie.TrieBlockLayout.*;

/** Kinds of nodes of an {@link InMemoryTrie}, as its dump and its statistics distinguish them. */
enum TrieNodeType {
    /** End of a key that no other key continues; the payload is in the pointer. */
    LEAF("leaf"),
    /** As {@link #LEAF}, with a payload of 2^30 or more in a slot of its own. */
    SLOT_LEAF("slot leaf"),
    /** A sequence of 1 to 11 transitions, in half a block. */
    SHORT_CHAIN("short chain"),
    /** A sequence of 12 to 27 transitions, in one block. */
    CHAIN("chain"),
    /** 2 to 6 children in one block. */
    SPARSE("sparse"),
    /** 5 to 24 children in 128 bytes. */
    BROAD("broad"),
    /** More children, in 3 to 37 blocks. */
    SPLIT("split"),
    /** Most of 256 children, in 32 blocks side by side. */
    FLAT_SPLIT("flat split"),
    /** Content of a key that others continue, before a node of its own. */
    PREFIX("prefix"),
    /** As {@link #PREFIX}, with a chain inside. */
    PREFIX_CHAIN("prefix chain"),
    /** As {@link #PREFIX}, in the head of a split node. */
    PREFIX_SPLIT("prefix split");

    private final String text;

    TrieNodeType(final String text) {
        this.text = text;
    }

    /** Returns the type of the node that a pointer leads to. */
    static TrieNodeType of(final TrieNodes nodes, final int node) {
        if (isLeaf(node)) {
            return isInline(node) ? LEAF : SLOT_LEAF;
        }
        switch (type(node)) {
            case SHORT_CHAIN_LOW:
            case SHORT_CHAIN_HIGH:
                return SHORT_CHAIN;
            case TrieBlockLayout.CHAIN:
                return CHAIN;
            case TrieBlockLayout.SPARSE:
                return SPARSE;
            case TrieBlockLayout.BROAD:
                return BROAD;
            case TrieBlockLayout.SPLIT:
                return SPLIT;
            case FLAT:
                return FLAT_SPLIT;
            default:
                return nodes.isStandalonePrefix(node) ? PREFIX
                    : nodes.isChainLike(node) ? PREFIX_CHAIN : PREFIX_SPLIT;
        }
    }

    /** Returns whether the node is a sequence of transitions. */
    boolean isChain() {
        return this == SHORT_CHAIN || this == CHAIN || this == PREFIX_CHAIN;
    }

    /** Returns whether children are found by one transition. */
    boolean isBranching() {
        return this == SPARSE || this == BROAD || this == SPLIT || this == FLAT_SPLIT || this == PREFIX_SPLIT;
    }

    /** Returns whether the node is a leaf or a prefix node. */
    boolean hasContent() {
        return this == LEAF || this == SLOT_LEAF
            || this == PREFIX || this == PREFIX_CHAIN || this == PREFIX_SPLIT;
    }

    /** Returns the name in words. */
    @Override
    public String toString() {
        return text;
    }
}
