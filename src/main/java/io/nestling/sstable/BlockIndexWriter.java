/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.Varint;

import java.io.IOException;

/**
 * Writes the block index: for each data block a lower bound (a key and a sequence number) and its handle.
 * Index blocks are written between the data blocks as they fill; only their handles are kept.
 * <p>
 * The bound of a block is above every entry of the block before it and not above its own first entry. Where
 * the two blocks meet between different keys, it is the shortest such key, with the greatest sequence number
 * there is (newest versions come first); where they meet between versions of one key, it is that key with the
 * sequence number of the block's first entry. The bound of the first block is the empty key with the greatest
 * sequence number.
 */
final class BlockIndexWriter {
    private final BlockOutput output;
    private final int blockBytes;
    private final BlockBuilder builder = new BlockBuilder();
    private final HandleList blocks = new HandleList();
    private byte[] bound = new byte[0];
    private int boundLength;
    private long boundSequence = EntryLayout.MAX_SEQUENCE;

    BlockIndexWriter(final BlockOutput output, final int blockBytes) {
        this.output = output;
        this.blockBytes = blockBytes;
    }

    /**
     * Notes the first entry of the next data block, which shares bytes with the last entry of the one before.
     */
    void beginBlock(final byte[] key, final int keyLength, final int commonPrefix, final long sequence,
        final boolean newKey) {
        boundLength = newKey ? commonPrefix + 1 : keyLength;
        boundSequence = newKey ? EntryLayout.MAX_SEQUENCE : sequence;
        if (bound.length < boundLength) {
            bound = new byte[Math.max(boundLength, 2 * bound.length)];
        }
        System.arraycopy(key, 0, bound, 0, boundLength);
    }

    /** Adds the data block that was begun last, or the very first one. */
    void endBlock(final BlockHandle handle) throws IOException {
        final int valueLength = Varint.length(handle.offset()) + Varint.length(handle.length());
        final int common = builder.commonPrefix(bound, boundLength);
        if (!builder.isEmpty() && builder.sizeWith(boundLength, common, valueLength) > blockBytes) {
            finishIndexBlock();
        }
        builder.addKey(bound, boundLength, common, EntryLayout.MAX_SEQUENCE - boundSequence,
            EntryLayout.FORM_VALUE, valueLength);
        builder.addVarint(handle.offset());
        builder.addVarint(handle.length());
    }

    /** Writes what is left. */
    void finish() throws IOException {
        if (!builder.isEmpty()) {
            finishIndexBlock();
        }
    }

    /** Handles of the index blocks. */
    HandleList blocks() {
        return blocks;
    }

    private void finishIndexBlock() throws IOException {
        final int length = builder.finish();
        blocks.add(output.writeBlock(BlockType.INDEX, builder.buffer(), 0, length));
        builder.reset();
    }
}
