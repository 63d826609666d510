/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.trie;

/**
 * Prefix node: content of a key that other keys continue, together with the node that continues it. Little
 * endian.
 * <pre>
 *  standalone: the continuing node is anywhere
 *  byte  0         4      5                              28      32
 *        +---------+------+------------------------------+-------+
 *        | content | 0xFF |  unused                      | child |
 *        +---------+------+------------------------------+-------+
 *  embedded chain of 1 to 23 transitions
 *  byte  0         4       5       start                 28      32
 *        +---------+-------+- - - -+---------------------+-------+
 *        | content | start | unused|  transitions        | child |
 *        +---------+-------+- - - -+---------------------+-------+
 *  embedded split
 *  byte  0         4      5              16                      32
 *        +---------+------+--------------+-----------------------+
 *        | content | 0xFE |  unused      |  mids of the head     |
 *        +---------+------+--------------+-----------------------+
 *
 *  field     offset  bytes  access (writer / reader)           constant
 *  content   0       4      putIntRelease / getIntAcquire      CONTENT_OFFSET; a leaf pointer
 *  form      4       1      plain, before publication          FORM_OFFSET
 *  child     28      4      putIntRelease / getIntAcquire      CHILD_OFFSET
 *  mids      16      16     as in SplitNodeLayout              MIDS_OFFSET there
 * </pre>
 * Example: content 7 before the chain "ab" to leaf 5 is
 * {@code 07 00 00 80 | 1A | 21 unused bytes | 61 62 | 05 00 00 80}.
 */
final class PrefixNodeLayout {
    static final int CONTENT_OFFSET = 0;
    static final int FORM_OFFSET = 4;
    static final int CHILD_OFFSET = 28;
    static final int FORM_STANDALONE = 0xFF;
    static final int FORM_SPLIT = 0xFE;
    static final int MIN_CHAIN_START = 5;
    static final int MAX_CHAIN_TRANSITIONS = CHILD_OFFSET - MIN_CHAIN_START;

    private PrefixNodeLayout() {
    }
}
