/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;
import static io.nestling.cuckootrie.CuckooTrieEntryLayout.*;

import io.nestling.index.cuckoo.BucketAddressing;
import io.nestling.index.cuckoo.CuckooBuckets;
import io.nestling.index.cuckoo.RelocationSearch;
import io.nestling.offheap.PrefetchVector;
import io.nestling.offheap.Slab;

import java.lang.invoke.VarHandle;

/**
 * Changes the table: places, rewrites and clears entries, moves them between their two buckets, adds and removes buckets. At any
 * moment a reader that looks into both buckets of an entry, repeatedly if necessary, finds the entry: a copy is written before
 * the original is cleared.
 * <h2>Thread safety</h2>
 * The writer only.
 * <p> Longer than 450 lines: every change of the table keeps the same order of copies and versions.
 */
final class Relocator implements CuckooBuckets {
    /** Most buckets that a search for room examines. */
    private static final int SEARCHED_BUCKETS = 500;
    /** Used cells of 256 above which a bucket is added. */
    private static final int MOST_LOAD = 197;
    /** Used cells of 256 below which buckets are removed. */
    private static final int LEAST_LOAD = 100;
    private static final int LOAD_SHIFT = 8;
    private static final int SHRINKS_A_CALL = 4;
    private static final int PREFETCHED_SPLITS = 2;
    /* A leaf; two where a bitmap node replaces a leaf. */
    private static final int USUAL_ENTRIES = 2;
    private static final int NONE = -1;
    /* Buckets counted beyond need, as a put may add some when it finds no room. */
    private static final int COUNTED_AHEAD = 1024;
    private static final int SIGN_SHIFT = Integer.SIZE - 1;
    /* In the bits of cells that entries may leave: behind those of both buckets. */
    private static final int ROOMY_SHIFT = 2 * CELLS;

    private final NodeTable table;
    private final Slab slab;
    private final NameHash names;
    private final RelocationSearch search = new RelocationSearch(SEARCHED_BUCKETS);
    private final FreeCounts freeCounts;
    private final PrefetchVector lines = new PrefetchVector();
    private final EntryProbe probe = new EntryProbe();
    /* The entry placed last. */
    private long placedLine;
    private int placedCell;
    private long placedHead;
    private long placedTail;
    private int changesToWeighing;

    /* Whether a bitmap node's hint for a child is outdated; the hash of the node's name, and the child. */
    private boolean hintDeferred;
    private long hintHash;
    private long hintHead;
    private boolean hintSecondary;

    Relocator(final NodeTable table) {
        this.table = table;
        this.slab = table.slab();
        this.names = table.hash();
        this.freeCounts = table.freeCounts();
    }

    // ---- entries

    /**
     * Puts a new entry into a cell: the identity has its last symbol and parent color, the body its type and the body bits of the
     * head. Returns its color, or -1 if there is no room.
     */
    int place(final long hash, final int identity, final long body, final long tail, final int depth) {
        final long buckets = table.buckets();
        final long other = names.alternate(hash);
        final long primary = BucketAddressing.bucketOf(hash, buckets);
        final long secondary = BucketAddressing.bucketOf(other, buckets);
        final int colors = colorsOf(bucketOffset(primary), names.tag(hash))
            | colorsOf(bucketOffset(secondary), names.tag(other) | SECONDARY);
        final int roomPrimary = freeCounts.of(primary);
        final int roomSecondary = freeCounts.of(secondary);
        // The emptier bucket: then fewer entries find both full, which costs far more than looking at both.
        long bucket = roomSecondary > roomPrimary ? secondary : primary;
        int cell;
        if ((roomPrimary | roomSecondary) == 0) {
            final int leaving = leavingCells(primary, buckets) | leavingCells(secondary, buckets) << CELLS;
            if (leaving != 0) {
                cell = Integer.numberOfTrailingZeros(leaving >>> ROOMY_SHIFT != 0 ? leaving >>> ROOMY_SHIFT : leaving);
                bucket = cell < CELLS ? primary : secondary;
                cell &= CELLS - 1;
                copyOut(bucket, cell, buckets, NONE);
            } else if (search.find(this, primary, secondary, 1)) {
                bucket = search.freedBucket();
                cell = carryOut(buckets);
            } else {
                return NONE;
            }
        } else {
            cell = takeCell(bucket);
        }
        final int color = Integer.numberOfTrailingZeros(~colors);
        final boolean isSecond = bucket == secondary;
        placedLine = bucketOffset(bucket);
        placedCell = cell;
        placedHead = withTag(
            body | identity & 0xFFFF_FFFFL | (long) color << COLOR_SHIFT, names.tag(isSecond ? other : hash), isSecond);
        placedTail = tail;
        write(placedLine, cell, placedHead, tail);
        table.countLeaf(depth, placedHead, 1);
        count(depth, 1);
        return color;
    }

    /** Requests the buckets of two names whose entries are placed soon. */
    void prefetchNames(final long hash, final long otherHash) {
        table.addBoth(lines, hash);
        table.addBoth(lines, otherHash);
        lines.request();
    }

    /** Returns whether the entry placed last stands in its secondary bucket. */
    boolean placedSecondary() {
        return isSecondary(placedHead);
    }

    private int colorsOf(final long line, final int tagAndSecondary) {
        // A free cell looks like tag 0 in a primary bucket.
        int same = slab.matchInts(line, CELL_BYTES, tagAndSecondary, TAG_MASK | SECONDARY);
        int colors = 0;
        while (same != 0) {
            final int head = slab.getInt(cellOffset(line, Integer.numberOfTrailingZeros(same)));
            colors |= head == 0 ? 0 : 1 << color(head);
            same &= same - 1;
        }
        return colors;
    }

    /* Returns the free cells of a bucket, as bits. Reads only the half of a head with the last symbol: a word that was just
       written overlaps the next one, which the processor could read only after all earlier stores. */
    private int freeCells(final long bucket) {
        return slab.matchInts(bucketOffset(bucket), CELL_BYTES, 0, -1);
    }

    /** Takes a free cell of a bucket that has room. */
    private int takeCell(final long bucket) {
        final int free = freeCells(bucket);
        freeCounts.set(bucket, free & free - 1);
        return Integer.numberOfTrailingZeros(free);
    }

    /** Finds an entry of known name and color again. */
    EntryProbe locate(final long hash, final long identity, final int depth) {
        if (depth == 0) {
            probe.root(table);
        } else if (!probe.find(table, hash, (int) identity & BY_COLOR_MASK & ~(TAG_MASK | SECONDARY), BY_COLOR_MASK)) {
            throw new IllegalStateException("no entry of color " + color(identity) + " at hash " + hash);
        }
        return probe;
    }

    /** Adds a child to a bitmap node that was seen last in the bucket {@code line}. */
    void addChild(
        final long line, final long hash, final long identity, final int depth, final int code, final boolean secondary) {
        final EntryProbe at = depth > 0 && probe.read(table, line, (int) identity, -1) ? probe : locate(hash, identity, depth);
        final long bit = childBit(code);
        final long hints = hints(at.head(), at.tail()) & ~bit | (secondary ? bit : 0);
        putHints(hints, children(at.tail()) | bit);
    }

    /** As {@link #fill}, for an entry that the root leads to, and may be a checkpoint: publishes the new body. */
    void rewrite(final long hash, final long identity, final int depth, final long body, final long tail) {
        if (mayBeCheckpoint(body, depth)) {
            fill(hash, identity, depth, checkpointHead(body), checkpointTail(body, tail));
        } else {
            fill(hash, identity, depth, body, tail);
        }
    }

    /** Replaces type and body of an entry in its cell. For a reachable entry this publishes the change. */
    void fill(final long hash, final long identity, final int depth, final long body, final long tail) {
        final EntryProbe at = locate(hash, identity, depth);
        table.countLeaf(depth, at.head(), -1);
        table.countLeaf(depth, body, 1);
        write(at.line(), at.cell(), withBodyOf(at.head(), body), tail);
    }

    /** Marks a node, to which the root leads by now, as a checkpoint if it may be one. */
    void markCheckpoint(final long hash, final long identity, final int depth) {
        final EntryProbe at = locate(hash, identity, depth);
        if (mayBeCheckpoint(at.head(), depth)) {
            write(at.line(), at.cell(), checkpointHead(at.head()), checkpointTail(at.head(), at.tail()));
        }
    }

    /**
     * As {@link #markCheckpoint}, for the entry placed last, if nothing moved since; does not read back what was just written.
     */
    void markPlacedCheckpoint(final int depth) {
        if (mayBeCheckpoint(placedHead, depth)) {
            write(placedLine, placedCell, checkpointHead(placedHead), checkpointTail(placedHead, placedTail));
        }
    }

    /** Unmarks a checkpoint while the root still leads to it. */
    void unmarkCheckpoint(final long hash, final long identity, final int depth) {
        final EntryProbe at = locate(hash, identity, depth);
        write(at.line(), at.cell(), plainHead(at.head()), plainTail(at.head(), at.tail()));
    }

    /** Sets the parent color of an entry; returns whether it stands in its secondary bucket. */
    boolean recolorParent(final long hash, final long identity, final int depth, final int parentColor) {
        final EntryProbe at = locate(hash, identity, depth);
        write(at.line(), at.cell(), withParentColor(at.head(), parentColor), at.tail());
        return isSecondary(at.head());
    }

    /** Clears an entry. */
    void clear(final long hash, final long identity, final int depth) {
        final EntryProbe at = locate(hash, identity, depth);
        table.countLeaf(depth, at.head(), -1);
        write(at.line(), at.cell(), 0, 0);
        noteFree(bucketAt(at.line()));
        count(depth, -1);
    }

    private void noteFree(final long bucket) {
        freeCounts.set(bucket, freeCells(bucket));
    }

    /** Writes or removes the root. */
    void writeRoot(final long body, final long tail) {
        write(ROOT_OFFSET, 0, body == 0 ? 0 : body | identity(0, NO_PARENT_COLOR, ROOT_COLOR) & 0xFFFF_FFFFL, tail);
    }

    private void count(final int depth, final int change) {
        table.count(depth, change);
        if (--changesToWeighing < 0) {
            changesToWeighing = (int) Math.min(table.entries() >>> 4, 1 << 16);
            table.weighDepths();
        }
    }

    private void write(final long line, final int cell, final long head, final long tail) {
        final int version = beginWrite(line);
        putCell(line, cell, head, tail);
        endWrite(line, version);
    }

    private void putCell(final long line, final int cell, final long head, final long tail) {
        final long at = cellOffset(line, cell);
        slab.putLong(at, head);
        slab.putLong(at + Long.BYTES - 1, tail << Byte.SIZE | head >>> Long.SIZE - Byte.SIZE);
    }

    /** Begins a change of cells; returns the version before. */
    private int beginWrite(final long line) {
        final int version = slab.getInt(line + VERSION_OFFSET);
        slab.putInt(line + VERSION_OFFSET, version + 1);
        VarHandle.releaseFence(); // the odd version before the cells
        return version;
    }

    private void endWrite(final long line, final int version) {
        slab.putIntRelease(line + VERSION_OFFSET, version + 2);
    }

    private long head(final long line, final int cell) {
        return slab.getLong(cellOffset(line, cell));
    }

    private long tail(final long line, final int cell) {
        return slab.getLong(cellOffset(line, cell) + Long.BYTES - 1) >>> Byte.SIZE;
    }

    // ---- moves between the two buckets of an entry

    /**
     * Returns the cells of a full bucket whose entries have room in their other buckets, as bits, and from bit {@link
     * #ROOMY_SHIFT} on those where two cells are free there. Without unpredictable branches.
     */
    private int leavingCells(final long bucket, final long buckets) {
        final long line = bucketOffset(bucket);
        int leaving = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            // Reads the half of the head: a word that was just written overlaps the next one, which could be read only after all
            // stores.
            final int tag = tag(slab.getInt(cellOffset(line, cell)));
            final long to = BucketAddressing.bucketOf(names.alternate(names.hashAt(bucket, tag)), buckets);
            final int room = freeCounts.of(to);
            leaving |= (-room >>> SIGN_SHIFT) << cell | (1 - room >>> SIGN_SHIFT) << cell + ROOMY_SHIFT;
        }
        return leaving;
    }

    /** Makes the moves found; returns the cell of the freed bucket that may be overwritten. */
    private int carryOut(final long buckets) {
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            final long head = head(bucketOffset(search.fromBucket(move)), search.fromCell(move));
            addAbove(names.bucketHash(names.hashAt(search.fromBucket(move), tag(head)), (int) head & SECONDARY), head);
        }
        lines.request(); // all moves but the last one need these lines
        int cell = NONE;
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            final int free = cell;
            cell = search.fromCell(move);
            copyOut(search.fromBucket(move), cell, buckets, free);
        }
        return cell;
    }

    /**
     * Copies an entry to its other bucket, which has room: to a cell that may be overwritten, or to a free one if that is -1. Its
     * own cell may be overwritten afterwards.
     */
    private void copyOut(final long from, final int cell, final long buckets, final int free) {
        // cuckoo-trie-concurrency.md, claim 3
        writeDeferredHint(); // before anything is read here: the entry to move may be the parent
        final long head = head(bucketOffset(from), cell);
        final long hash = names.hashAt(from, tag(head));
        final long other = names.alternate(hash);
        final long to = BucketAddressing.bucketOf(other, buckets);
        final boolean secondary = !isSecondary(head);
        final long name = secondary ? hash : other;
        deferHint(name, head, secondary);
        addAbove(name, head);
        lines.request();
        write(bucketOffset(to), free >= 0 ? free : takeCell(to), withTag(head, names.tag(other), secondary),
            tail(bucketOffset(from), cell));
    }

    /** Defers the hint of the bitmap node above an entry. */
    private void deferHint(final long hash, final long head, final boolean secondary) {
        if (parentColor(head) != NO_PARENT_COLOR) {
            hintHash = names.peel(hash, code(head));
            hintHead = head;
            hintSecondary = secondary;
            hintDeferred = true;
        }
    }

    /** Writes the hints of the bitmap nodes above the entry placed last and above one that was moved for it. */
    void writeHintsOfPlaced(final long hash) {
        writeDeferredHint();
        deferHint(hash, placedHead, placedSecondary());
        writeDeferredHint();
    }

    /** Adds the buckets of the bitmap node above an entry. */
    private void addAbove(final long hash, final long head) {
        final int parentColor = parentColor(head);
        if (parentColor != NO_PARENT_COLOR && parentColor != ROOT_COLOR) {
            table.addBoth(lines, names.peel(hash, code(head)));
        }
    }

    /**
     * Writes the deferred hint: the bitmap node above the entry moved last learns where that stands. A put does this while it
     * waits for its own buckets; until then readers look for that entry in the wrong bucket first.
     */
    void writeDeferredHint() {
        if (!hintDeferred) {
            return;
        }
        hintDeferred = false;
        final int parentColor = parentColor(hintHead);
        if (parentColor == ROOT_COLOR) {
            probe.root(table);
        } else if (!probe.find(table, hintHash, parentColor << COLOR_SHIFT, BY_COLOR_ALONE_MASK)) {
            return; // not placed yet, or gone
        }
        if (type(probe.head()) == BITMAP) {
            final long bit = childBit(code(hintHead));
            final long before = hints(probe.head(), probe.tail());
            putHints(hintSecondary ? before | bit : before & ~bit, children(probe.tail()));
        }
    }

    /** Writes hints and children of the bitmap node found. */
    private void putHints(final long hints, final long children) {
        write(probe.line(), probe.cell(), withBodyOf(probe.head(), bitmapHead(hints)),
            bitmapTail(children, hints) | probe.tail() & CHECKPOINT);
    }

    @Override
    public int cellsPerBucket() {
        return CELLS;
    }

    @Override
    public int nodeCells(final long bucket, final int cell) {
        return isUsed(head(bucketOffset(bucket), cell)) ? 1 : 0;
    }

    @Override
    public long alternateBucket(final long bucket, final int cell) {
        final int tag = tag(head(bucketOffset(bucket), cell));
        return BucketAddressing.bucketOf(names.alternate(names.hashAt(bucket, tag)), table.buckets());
    }

    @Override
    public boolean fits(final long bucket, final int nodeCells, final int leaving) {
        return leaving != NO_CELL || freeCounts.hasRoom(bucket);
    }

    @Override
    public boolean knowsRoom() {
        return true;
    }

    @Override
    public void prefetch(final long bucket) {
        lines.add(slab, bucketOffset(bucket));
    }

    @Override
    public void request() {
        lines.request();
    }

    // ---- number of buckets

    /** Returns the number of buckets needed for a number of entries. */
    static long bucketsFor(final long entries) {
        return (entries << LOAD_SHIFT) / ((long) CELLS * MOST_LOAD) + 1;
    }

    /** Adds buckets for some more entries; returns false if there is no memory. */
    boolean reserve(final long more) {
        return growTo(bucketsFor(table.entries() + more));
    }

    private boolean growTo(final long wanted) {
        if (table.buckets() >= wanted) {
            return true;
        }
        if (!table.canHold(wanted)) {
            return false;
        }
        freeCounts.reach(wanted + COUNTED_AHEAD);
        while (table.buckets() < wanted) {
            addBucket();
        }
        return true;
    }

    /**
     * Adds buckets for what a put usually adds, if there is memory; otherwise the put fails only if it needs them. A put does
     * this while it waits for its own buckets: entries that move meanwhile are not where the put's walk requested them, and are
     * searched by the new number of buckets; a checkpoint that moved is skipped.
     */
    void growAhead() {
        reserve(USUAL_ENTRIES);
    }

    /** Adds some buckets whatever the load; returns false if there is no memory. */
    boolean addBuckets(final int more) {
        return growTo(table.buckets() + more);
    }

    private void addBucket() {
        // cuckoo-trie-concurrency.md, claim 3
        final long added = table.buckets();
        final long to = bucketOffset(added);
        final long from = bucketOffset(BucketAddressing.splitFrom(added));
        final long bit = BucketAddressing.splitBit(added);
        int moving = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            final long head = head(from, cell);
            if (isUsed(head) && (names.hashAt(BucketAddressing.splitFrom(added), tag(head)) & bit) != 0) {
                moving |= 1 << cell;
            }
        }
        if (moving != 0) {
            final int version = beginWrite(to);
            for (int cell = 0; cell < CELLS; cell++) {
                if ((moving >>> cell & 1) != 0) {
                    putCell(to, cell, head(from, cell), tail(from, cell));
                }
            }
            endWrite(to, version);
            noteFree(added);
        }
        table.publishBuckets(added + 1);
        clearCells(from, moving);
        prefetch(BucketAddressing.splitFrom(added + PREFETCHED_SPLITS));
        prefetch(added + PREFETCHED_SPLITS);
        request();
    }

    private void clearCells(final long line, final int cells) {
        if (cells != 0) {
            final int version = beginWrite(line);
            for (int cell = 0; cell < CELLS; cell++) {
                if ((cells >>> cell & 1) != 0) {
                    putCell(line, cell, 0, 0);
                }
            }
            endWrite(line, version);
            noteFree(bucketAt(line));
        }
    }

    /** Removes a few buckets if the load is low. */
    void shrink() {
        for (int i = 0; i < SHRINKS_A_CALL; i++) {
            final long buckets = table.buckets();
            if (buckets <= names.minBuckets()
                || table.entries() << LOAD_SHIFT >= buckets * CELLS * LEAST_LOAD
                || !removeBucket(buckets - 1)) {
                return;
            }
        }
    }

    private boolean removeBucket(final long removed) {
        // cuckoo-trie-concurrency.md, claim 3
        final long to = BucketAddressing.splitFrom(removed);
        for (int cell = 0; cell < CELLS && !fitsInto(to, removed); cell++) {
            if (isUsed(head(bucketOffset(removed), cell))) {
                final long alternate = alternateBucket(removed, cell);
                if (alternate != to && freeCounts.hasRoom(alternate)) {
                    copyOut(removed, cell, removed + 1, NONE);
                    clearCells(bucketOffset(removed), 1 << cell);
                }
            }
        }
        if (!fitsInto(to, removed)) {
            return false;
        }
        final int moving = freeCells(removed) ^ (1 << CELLS) - 1;
        final long from = bucketOffset(removed);
        for (int cell = 0; cell < CELLS; cell++) {
            if ((moving >>> cell & 1) != 0) {
                write(bucketOffset(to), takeCell(to), head(from, cell), tail(from, cell));
            }
        }
        table.publishBuckets(removed);
        clearCells(from, moving);
        return true;
    }

    private boolean fitsInto(final long bucket, final long removed) {
        return CELLS - Integer.bitCount(freeCells(removed)) <= Integer.bitCount(freeCells(bucket));
    }
}
