/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cuckootrie;

import static io.nestling.cuckootrie.BucketLayout.*;
import static io.nestling.cuckootrie.EntryLayout.*;

import io.nestling.index.cuckoo.BucketAddressing;
import io.nestling.index.cuckoo.CuckooBuckets;
import io.nestling.index.cuckoo.RelocationSearch;
import io.nestling.memory.PrefetchVector;
import io.nestling.memory.Slab;

import java.lang.invoke.VarHandle;

/**
 * Changes the table: places, rewrites and clears entries, moves them between their two buckets, adds and takes
 * away buckets. At every moment a reader that looks into both buckets of an entry, again if need be, finds it:
 * a copy is written before the original goes.
 * <h2>Thread safety</h2>
 * The writer only.
 */
final class Relocator implements CuckooBuckets {
    /** Most buckets that the search for room looks at. */
    private static final int SEARCHED_BUCKETS = 500;
    /** Used cells of 256 beyond which a bucket is added. */
    private static final int MOST_LOAD = 208;
    /** Used cells of 256 below which buckets are taken away. */
    private static final int LEAST_LOAD = 100;
    private static final int LOAD_SHIFT = 8;
    private static final int SHRINKS_A_CALL = 4;
    private static final int PREFETCHED_SPLITS = 2;
    private static final int NONE = -1;

    private final NodeTable table;
    private final Slab slab;
    private final NameHash names;
    private final RelocationSearch search = new RelocationSearch(SEARCHED_BUCKETS);
    private final FullBuckets full;
    private final PrefetchVector lines = new PrefetchVector();
    private final EntryProbe probe = new EntryProbe();
    private boolean placedSecondary;
    private int changesToWeighing;

    Relocator(final NodeTable table) {
        this.table = table;
        this.slab = table.slab();
        this.names = table.hash();
        this.full = table.fullBuckets();
    }

    // ---- entries

    /**
     * Puts a new entry into a cell.
     *
     * @param hash hash of its name
     * @param identity its last symbol and parent color ({@link EntryLayout#identity} with color 0)
     * @param body type and body bits of the head
     * @param tail second word
     * @param depth codes of its name
     * @return its color, or -1 if there is no room for it
     */
    int place(final long hash, final int identity, final long body, final long tail, final int depth) {
        final long buckets = table.buckets();
        final long other = names.alternate(hash);
        final long primary = NodeTable.offsetOf(hash, buckets);
        final long secondary = NodeTable.offsetOf(other, buckets);
        final int colors = colorsOf(primary, names.tag(hash)) | colorsOf(secondary, names.tag(other) | SECONDARY);
        final int freePrimary = freeMask(primary);
        final int freeSecondary = freeMask(secondary);
        // The emptier one: then fewer entries find both buckets full, which costs far more than looking at both.
        final boolean second = Integer.bitCount(freeSecondary) > Integer.bitCount(freePrimary);
        long line = second ? secondary : primary;
        int cell = Integer.numberOfTrailingZeros(second ? freeSecondary : freePrimary | 1 << CELLS);
        if (cell == CELLS) {
            if (!search.find(this, bucketAt(primary), bucketAt(secondary), 1)) {
                return NONE;
            }
            line = bucketOffset(search.freedBucket());
            cell = carryOut();
        }
        final int color = Integer.numberOfTrailingZeros(~colors);
        placedSecondary = line == secondary;
        final long head = atPlace(
            body | identity & 0xFFFF_FFFFL | (long) color << COLOR_SHIFT,
            names.tag(placedSecondary ? other : hash), placedSecondary);
        write(line, cell, head, tail);
        if (((line == secondary ? freeSecondary : freePrimary) & ~(1 << cell)) == 0) {
            full.set(bucketAt(line), true);
        }
        count(depth, 1);
        return color;
    }

    /** Requests the buckets of two names whose entries will be placed soon. */
    void prefetchNames(final long hash, final long otherHash) {
        addBoth(hash);
        addBoth(otherHash);
        lines.request();
    }

    private void addBoth(final long hash) {
        final long buckets = table.buckets();
        lines.add(slab, NodeTable.offsetOf(hash, buckets));
        lines.add(slab, NodeTable.offsetOf(names.alternate(hash), buckets));
    }

    /** Whether the entry placed last stands in its secondary bucket. */
    boolean placedSecondary() {
        return placedSecondary;
    }

    private int colorsOf(final long line, final int place) {
        // The place of a free cell is that of tag 0 in a primary bucket.
        int same = slab.matchInts(line, CELL_BYTES, place, TAG_MASK | SECONDARY);
        int colors = 0;
        while (same != 0) {
            final int head = slab.getInt(cellOffset(line, Integer.numberOfTrailingZeros(same)));
            colors |= head == 0 ? 0 : 1 << color(head);
            same &= same - 1;
        }
        return colors;
    }

    /*
     * The free cells of a bucket, as bits. Only the half of a head that has the last symbol counts: a whole word that was just
     * written overlaps the one behind it, and the processor would read it only after all stores before.
     */
    private int freeMask(final long line) {
        return slab.matchInts(line, CELL_BYTES, 0, -1);
    }

    private int freeCell(final long line) {
        final int free = freeMask(line);
        return free == 0 ? NONE : Integer.numberOfTrailingZeros(free);
    }

    /** Finds an entry again whose name and color are known. */
    EntryProbe locate(final long hash, final long identity, final int depth) {
        if (depth == 0) {
            probe.root(table);
        } else if (!probe.byColor(table, hash, code(identity), color(identity))) {
            throw new IllegalStateException("no entry of color " + color(identity) + " at hash " + hash);
        }
        return probe;
    }

    /** Replaces type and body of an entry that the root leads to. */
    void rewrite(final long hash, final long identity, final int depth, final long body, final long tail) {
        fill(hash, identity, depth, body, type(body) != LEAF && isStationDepth(depth) ? tail | STATION : tail);
    }

    /** Replaces type and body of an entry that nothing leads to yet. */
    void fill(final long hash, final long identity, final int depth, final long body, final long tail) {
        final EntryProbe at = locate(hash, identity, depth);
        write(at.line(), at.cell(), withBodyOf(at.head(), body), tail);
    }

    /** Lets walks begin at an inner node, to which the root leads by now. */
    void openStation(final long hash, final long identity, final int depth) {
        final EntryProbe at = locate(hash, identity, depth);
        if (type(at.head()) != LEAF) {
            write(at.line(), at.cell(), at.head(), at.tail() | STATION);
        }
    }

    /** Lets no walk begin at an inner node, to which the root still leads. */
    void closeStation(final long hash, final long identity, final int depth) {
        final EntryProbe at = locate(hash, identity, depth);
        write(at.line(), at.cell(), at.head(), at.tail() & ~STATION);
    }

    /** Tells an entry the color of its parent. */
    void recolorParent(final long hash, final long identity, final int depth, final int parentColor) {
        final EntryProbe at = locate(hash, identity, depth);
        write(at.line(), at.cell(), withParentColor(at.head(), parentColor), at.tail());
    }

    /** Takes an entry away. */
    void clear(final long hash, final long identity, final int depth) {
        final EntryProbe at = locate(hash, identity, depth);
        write(at.line(), at.cell(), 0, 0);
        full.set(bucketAt(at.line()), false);
        count(depth, -1);
    }

    /** Writes the root, or removes it. */
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
        beginWrite(line);
        putCell(line, cell, head, tail);
        endWrite(line);
    }

    private void putCell(final long line, final int cell, final long head, final long tail) {
        final long at = cellOffset(line, cell);
        slab.putLong(at, head);
        slab.putLong(at + Long.BYTES - 1, tail << Byte.SIZE | head >>> Long.SIZE - Byte.SIZE);
    }

    private void beginWrite(final long line) {
        slab.putInt(line + VERSION_OFFSET, slab.getInt(line + VERSION_OFFSET) + 1);
        VarHandle.releaseFence(); // the odd version before the cells
    }

    private void endWrite(final long line) {
        slab.putIntRelease(line + VERSION_OFFSET, slab.getInt(line + VERSION_OFFSET) + 1);
    }

    private long head(final long line, final int cell) {
        return slab.getLong(cellOffset(line, cell));
    }

    private long tail(final long line, final int cell) {
        return slab.getLong(cellOffset(line, cell) + Long.BYTES - 1) >>> Byte.SIZE;
    }

    // ---- moves between the two buckets of an entry

    /** Makes the moves that were found; returns the cell that the last one made free. */
    private int carryOut() {
        int cell = NONE;
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            prefetchMove(search.fromBucket(move), search.fromCell(move), search.toBucket(move));
        }
        lines.request();
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            final long to = bucketOffset(search.toBucket(move));
            final int free = cell == NONE ? freeCell(to) : cell;
            cell = search.fromCell(move);
            moveToAlternate(bucketOffset(search.fromBucket(move)), cell, to, free);
        }
        return cell;
    }

    /** Names the bucket to which an entry is to go, and those where the node above may stand. */
    private void prefetchMove(final long from, final int cell, final long to) {
        prefetch(to);
        final long head = head(bucketOffset(from), cell);
        final int parentColor = parentColor(head);
        if (parentColor != NO_PARENT_COLOR && parentColor != ROOT_COLOR) {
            final long hash = names.hashAt(from, tag(head));
            final long above = names.peel(isSecondary(head) ? names.alternate(hash) : hash, code(head));
            addBoth(above);
        }
    }

    private void moveToAlternate(final long from, final int cell, final long to, final int free) {
        final long head = head(from, cell);
        final long hash = names.hashAt(bucketAt(from), tag(head));
        final long other = names.alternate(hash);
        final boolean fills = freeMask(to) == 1 << free;
        write(to, free, atPlace(head, names.tag(other), !isSecondary(head)), tail(from, cell));
        write(from, cell, 0, 0);
        full.set(bucketAt(to), fills);
        full.set(bucketAt(from), false);
        updateHint(isSecondary(head) ? other : hash, head, !isSecondary(head));
    }

    /** Tells the bitmap node above an entry where that stands. */
    private void updateHint(final long hash, final long head, final boolean secondary) {
        final int parentColor = parentColor(head);
        if (parentColor == NO_PARENT_COLOR) {
            return;
        }
        if (parentColor == ROOT_COLOR) {
            probe.root(table);
        } else if (!probe.find(
            table, names.peel(hash, code(head)), parentColor << COLOR_SHIFT, BY_COLOR_ALONE_MASK)) {
            return; // not yet placed
        }
        if (type(probe.head()) == BITMAP) {
            final long bit = childBit(code(head));
            final long before = hints(probe.head(), probe.tail());
            final long hints = secondary ? before | bit : before & ~bit;
            write(probe.line(), probe.cell(), withBodyOf(probe.head(), bitmapHead(hints)),
                bitmapTail(children(probe.tail()), hints) | probe.tail() & STATION);
        }
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
        return leaving != NO_CELL || !full.isFull(bucket);
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

    /** Buckets that a number of entries need. */
    static long bucketsFor(final long entries) {
        return (entries << LOAD_SHIFT) / ((long) CELLS * MOST_LOAD) + 1;
    }

    /** Adds buckets until some more entries may be placed; false if there is no memory for that. */
    boolean ensure(final long more) {
        final long wanted = bucketsFor(table.entries() + more);
        if (table.buckets() >= wanted) {
            return true;
        }
        if (!table.canHold(wanted)) {
            return false;
        }
        while (table.buckets() < wanted) {
            addBucket();
        }
        return true;
    }

    /** Adds some buckets though the load does not ask for it; false if there is no memory for that. */
    boolean addBuckets(final int more) {
        final long wanted = table.buckets() + more;
        if (!table.canHold(wanted)) {
            return false;
        }
        while (table.buckets() < wanted) {
            addBucket();
        }
        return true;
    }

    private void addBucket() {
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
            beginWrite(to);
            for (int cell = 0; cell < CELLS; cell++) {
                if ((moving >>> cell & 1) != 0) {
                    putCell(to, cell, head(from, cell), tail(from, cell));
                }
            }
            endWrite(to);
            full.set(added, moving == (1 << CELLS) - 1);
        }
        table.publishBuckets(added + 1);
        clearCells(from, moving);
        prefetch(BucketAddressing.splitFrom(added + PREFETCHED_SPLITS));
        prefetch(added + PREFETCHED_SPLITS);
        request();
    }

    private void clearCells(final long line, final int cells) {
        if (cells != 0) {
            beginWrite(line);
            for (int cell = 0; cell < CELLS; cell++) {
                if ((cells >>> cell & 1) != 0) {
                    putCell(line, cell, 0, 0);
                }
            }
            endWrite(line);
            full.set(bucketAt(line), false);
        }
    }

    /** Takes buckets away, a few at most, if the table is rather empty. */
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
        final long from = bucketOffset(removed);
        final long to = bucketOffset(BucketAddressing.splitFrom(removed));
        int moving = CELLS - freeCells(from);
        for (int cell = 0; cell < CELLS && moving > freeCells(to); cell++) {
            if (isUsed(head(from, cell))) {
                final long alternate = bucketOffset(alternateBucket(removed, cell));
                if (alternate != to && freeCell(alternate) >= 0) {
                    moveToAlternate(from, cell, alternate, freeCell(alternate));
                    moving--;
                }
            }
        }
        if (moving > freeCells(to)) {
            return false;
        }
        int used = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            if (isUsed(head(from, cell))) {
                used |= 1 << cell;
                write(to, freeCell(to), head(from, cell), tail(from, cell));
            }
        }
        full.set(bucketAt(to), freeMask(to) == 0);
        table.publishBuckets(removed);
        clearCells(from, used);
        return true;
    }

    private int freeCells(final long line) {
        return Integer.bitCount(freeMask(line));
    }
}
