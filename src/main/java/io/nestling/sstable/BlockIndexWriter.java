/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.bytes.Varint;

import java.io.IOException;

/**
 * Writes the block index: for each data block a lower bound (a key and a sequence number) and its handle. It writes each full
 * index block between the data blocks and keeps only its handle.
 * <p>
 * The bound of a block is above every entry of the previous block and not above its own first entry. If the two blocks
 * meet between different keys, it is the shortest such key with the greatest possible sequence number (newest versions come
 * first). If they meet between versions of one key, it is that key with the sequence number of the block's first entry. The
 * bound of the first block is the empty key with the greatest sequence number.
 */
final class BlockIndexWriter {
    private final BlockOutput output;
    private final int blockBytes;
    private final BlockBuilder builder = new BlockBuilder();
    private final HandleList blocks = new HandleList();
    private byte[] bound = new byte[0];
    private int boundLength;
    private long boundSequence = TableEntryLayout.MAX_SEQUENCE;

    BlockIndexWriter(final BlockOutput output, final int blockBytes) {
        this.output = output;
        this.blockBytes = blockBytes;
    }

    /** Derives the bound of the next data block from its first entry and the prefix that this shares with the entry before. */
    void beginBlock(final byte[] key, final int keyLength, final int commonPrefix, final long sequence, final boolean newKey) {
        boundLength = newKey ? commonPrefix + 1 : keyLength;
        boundSequence = newKey ? TableEntryLayout.MAX_SEQUENCE : sequence;
        if (bound.length < boundLength) {
            bound = new byte[Math.max(boundLength, 2 * bound.length)];
        }
        System.arraycopy(key, 0, bound, 0, boundLength);
    }

    /** Adds a data block: the one that was begun last, or the first one, which needs no beginning. */
    void endBlock(final BlockHandle handle) throws IOException {
        final int valueLength = Varint.length(handle.offset()) + Varint.length(handle.length());
        final int common = builder.commonPrefix(bound, boundLength);
        if (!builder.isEmpty() && builder.sizeWith(boundLength, common, valueLength) > blockBytes) {
            finishIndexBlock();
        }
        builder.addKey(bound, boundLength, common, TableEntryLayout.MAX_SEQUENCE - boundSequence,
            TableEntryLayout.FORM_VALUE, valueLength);
        builder.addVarint(handle.offset());
        builder.addVarint(handle.length());
    }

    /** Writes the last index block. */
    void finish() throws IOException {
        if (!builder.isEmpty()) {
            finishIndexBlock();
        }
    }

    /** Returns the handles of the index blocks. */
    HandleList blocks() {
        return blocks;
    }

    private void finishIndexBlock() throws IOException {
        final int length = builder.finish();
        blocks.add(output.writeBlock(BlockType.INDEX, builder.buffer(), 0, length));
        builder.reset();
    }
}
