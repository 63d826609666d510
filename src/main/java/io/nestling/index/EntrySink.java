/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.io.IOException;

/**
 * Receives the content of a flush or of a table: {@link #begin}, then entries in key order (versions of one key from new to
 * old) with range tombstones among them in the order of their first key, each before the entries at or above
 * that key, then {@link #end}.
 * <p>
 * A method that throws ends the flush; nothing is called afterwards. The owner of the sink closes it.
 */
public interface EntrySink {
    /**
     * Announces the content by upper bounds. A flush of a memtable announces exact numbers.
     *
     * @param entryCount greatest number of {@link #entry} calls to come
     * @param byteCount most bytes of the keys and values of these entries
     * @param rangeTombstoneCount greatest number of {@link #rangeTombstone} calls to come
     * @throws IOException if the sink cannot take them
     */
    void begin(long entryCount, long byteCount, long rangeTombstoneCount) throws IOException;

    /**
     * Takes one entry.
     *
     * @param entry the entry, valid during the call
     * @throws IOException if the sink cannot take it
     */
    void entry(EntryView entry) throws IOException;

    /**
     * Takes one range tombstone.
     *
     * @param fromInclusive first key of the range
     * @param toExclusive first key after the range, or null if it reaches to the end of all keys
     * @param sequence its sequence number: it deletes what was written before
     * @throws IOException if the sink cannot take it
     */
    void rangeTombstone(byte[] fromInclusive, byte[] toExclusive, long sequence) throws IOException;

    /**
     * Ends the content.
     *
     * @throws IOException if the sink cannot keep it
     */
    void end() throws IOException;
}
