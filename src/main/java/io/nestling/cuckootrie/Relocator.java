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
    private static final int MOST_LOAD = 197;
    /** Used cells of 256 below which buckets are taken away. */
    private static final int LEAST_LOAD = 100;
    private static final int LOAD_SHIFT = 8;
    private static final int SHRINKS_A_CALL = 4;
    private static final int PREFETCHED_SPLITS = 2;
    /* A leaf; or, where one gives way to a bitmap node, two. */
    private static final int USUAL_ENTRIES = 2;
    private static final int NONE = -1;
    /* Buckets beyond those needed, for some that are added in the middle of a put that finds no place. */
    private static final int COUNTED_AHEAD = 1024;
    private static final int SIGN_SHIFT = Integer.SIZE - 1;
    /* In the bits of cells that an entry may leave: behind those of both buckets. */
    private static final int ROOMY_SHIFT = 2 * CELLS;

    private final NodeTable table;
    private final Slab slab;
    private final NameHash names;
    private final RelocationSearch search = new RelocationSearch(SEARCHED_BUCKETS);
    private final FreeCounts freeCounts;
    private final PrefetchVector lines = new PrefetchVector();
    private final EntryProbe probe = new EntryProbe();
    /* The entry placed last. */
    private boolean placedSecondary;
    private long placedLine;
    private int placedCell;
    private long placedHead;
    private long placedTail;
    private int changesToWeighing;

    /* Whether a bitmap node is still to be told where a child stands; hash of its name, and the child. */
    private boolean owes;
    private long owedAbove;
    private long owedHead;
    private boolean owedSecondary;

    Relocator(final NodeTable table) {
        this.table = table;
        this.slab = table.slab();
        this.names = table.hash();
        this.freeCounts = table.freeCounts();
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
        final long primary = BucketAddressing.bucketOf(hash, buckets);
        final long secondary = BucketAddressing.bucketOf(other, buckets);
        final int colors = colorsOf(bucketOffset(primary), names.tag(hash))
            | colorsOf(bucketOffset(secondary), names.tag(other) | SECONDARY);
        final int roomPrimary = freeCounts.of(primary);
        final int roomSecondary = freeCounts.of(secondary);
        // The emptier one: then fewer entries find both buckets full, which costs far more than looking at both.
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
        placedSecondary = bucket == secondary;
        final long head = atPlace(
            body | identity & 0xFFFF_FFFFL | (long) color << COLOR_SHIFT,
            names.tag(placedSecondary ? other : hash), placedSecondary);
        placedLine = bucketOffset(bucket);
        placedCell = cell;
        placedHead = head;
        placedTail = tail;
        write(placedLine, cell, head, tail);
        table.countLeaf(depth, head, 1);
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

    /** Returns whether the entry placed last stands in its secondary bucket. */
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
    private int freeCells(final long bucket) {
        return slab.matchInts(bucketOffset(bucket), CELL_BYTES, 0, -1);
    }

    /** Chooses a free cell of a bucket that has room, and notes that it is not free. */
    private int takeCell(final long bucket) {
        final int free = freeCells(bucket);
        freeCounts.set(bucket, free & free - 1);
        return Integer.numberOfTrailingZeros(free);
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

    /**
     * Gives a bitmap node one more child.
     *
     * @param line offset of the bucket where the node was seen last
     * @param secondary whether the child stands in its secondary bucket
     */
    void addChild(
        final long line, final long hash, final long identity, final int depth, final int code, final boolean secondary) {
        final EntryProbe at = depth > 0 && probe.again(table, line, (int) identity) ? probe : locate(hash, identity, depth);
        final long bit = childBit(code);
        final long hints = hints(at.head(), at.tail()) & ~bit | (secondary ? bit : 0);
        putHints(hints, children(at.tail()) | bit);
    }

    /** Replaces type and body of an entry that the root leads to. */
    void rewrite(final long hash, final long identity, final int depth, final long body, final long tail) {
        if (mayBeStation(body, depth)) {
            fill(hash, identity, depth, stationHead(body), stationTail(body, tail));
        } else {
            fill(hash, identity, depth, body, tail);
        }
    }

    /** Replaces type and body of an entry that nothing leads to yet. */
    void fill(final long hash, final long identity, final int depth, final long body, final long tail) {
        final EntryProbe at = locate(hash, identity, depth);
        table.countLeaf(depth, at.head(), -1);
        table.countLeaf(depth, body, 1);
        write(at.line(), at.cell(), withBodyOf(at.head(), body), tail);
    }

    /** Lets walks begin at a node, to which the root leads by now, if it may be a station. */
    void openStation(final long hash, final long identity, final int depth) {
        final EntryProbe at = locate(hash, identity, depth);
        if (mayBeStation(at.head(), depth)) {
            write(at.line(), at.cell(), stationHead(at.head()), stationTail(at.head(), at.tail()));
        }
    }

    /** The same for the entry that was placed last, if nothing was moved since: what was just written is not read back. */
    void openPlaced(final int depth) {
        if (mayBeStation(placedHead, depth)) {
            write(placedLine, placedCell, stationHead(placedHead), stationTail(placedHead, placedTail));
        }
    }

    /** Lets no walk begin at a node, to which the root still leads. */
    void closeStation(final long hash, final long identity, final int depth) {
        final EntryProbe at = locate(hash, identity, depth);
        write(at.line(), at.cell(), closedHead(at.head()), closedTail(at.head(), at.tail()));
    }

    /** Tells an entry the color of its parent; returns whether it stands in its secondary bucket. */
    boolean recolorParent(final long hash, final long identity, final int depth, final int parentColor) {
        final EntryProbe at = locate(hash, identity, depth);
        write(at.line(), at.cell(), withParentColor(at.head(), parentColor), at.tail());
        return isSecondary(at.head());
    }

    /** Takes an entry away. */
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
        final int version = slab.getInt(line + VERSION_OFFSET);
        slab.putInt(line + VERSION_OFFSET, version + 1);
        VarHandle.releaseFence(); // the odd version before the cell
        putCell(line, cell, head, tail);
        slab.putIntRelease(line + VERSION_OFFSET, version + 2);
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

    /**
     * Returns the cells of a full bucket whose entries have room in their other buckets, as bits, and from bit {@link
     * #ROOMY_SHIFT} on those where two cells are free there. Without a branch, as nobody can foretell these.
     */
    private int leavingCells(final long bucket, final long buckets) {
        final long line = bucketOffset(bucket);
        int leaving = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            // The half of the head: a word that was just written overlaps the next one, and would be read after all stores only.
            final int tag = tag(slab.getInt(cellOffset(line, cell)));
            final long to = BucketAddressing.bucketOf(names.alternate(names.hashAt(bucket, tag)), buckets);
            final int room = freeCounts.of(to);
            leaving |= (-room >>> SIGN_SHIFT) << cell | (1 - room >>> SIGN_SHIFT) << cell + ROOMY_SHIFT;
        }
        return leaving;
    }

    /** Makes the moves that were found; returns the cell of the freed bucket that may be written over. */
    private int carryOut(final long buckets) {
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            final long head = head(bucketOffset(search.fromBucket(move)), search.fromCell(move));
            addAbove(names.placed(names.hashAt(search.fromBucket(move), tag(head)), (int) head & SECONDARY), head);
        }
        lines.request(); // each move but the last one waits for these
        int cell = NONE;
        for (int move = search.firstMove(); move >= 0; move = search.nextMove(move)) {
            final int free = cell;
            cell = search.fromCell(move);
            copyOut(search.fromBucket(move), cell, buckets, free);
        }
        return cell;
    }

    /**
     * Copies an entry to its other bucket, which has room. What stands in its cell may be written over then.
     *
     * @param free the cell there whose entry may be written over, or -1 to take one that is free
     */
    private void copyOut(final long from, final int cell, final long buckets, final int free) {
        settle(); // before anything is read here: the entry to be moved may be the one that is told
        final long head = head(bucketOffset(from), cell);
        final long hash = names.hashAt(from, tag(head));
        final long other = names.alternate(hash);
        final long to = BucketAddressing.bucketOf(other, buckets);
        final boolean secondary = !isSecondary(head);
        owe(secondary ? hash : other, head, secondary);
        write(bucketOffset(to), free >= 0 ? free : takeCell(to), atPlace(head, names.tag(other), secondary),
            tail(bucketOffset(from), cell));
    }

    /** Notes that the bitmap node above an entry is to be told where that stands now, and requests its buckets. */
    private void owe(final long hash, final long head, final boolean secondary) {
        note(hash, head, secondary);
        addAbove(hash, head);
        lines.request();
    }

    private void note(final long hash, final long head, final boolean secondary) {
        if (parentColor(head) != NO_PARENT_COLOR) {
            owedAbove = names.peel(hash, code(head));
            owedHead = head;
            owedSecondary = secondary;
            owes = true;
        }
    }

    /** Tells the bitmap nodes above the entry that was placed last, and above one that was moved for it, where these stand. */
    void settlePlaced(final long hash) {
        settle();
        note(hash, placedHead, placedSecondary);
        settle();
    }

    /** Adds the buckets of the bitmap node above an entry. */
    private void addAbove(final long hash, final long head) {
        final int parentColor = parentColor(head);
        if (parentColor != NO_PARENT_COLOR && parentColor != ROOT_COLOR) {
            addBoth(names.peel(hash, code(head)));
        }
    }

    /**
     * Tells the bitmap node above the entry that was moved last where that stands. A put does this while it waits for its own
     * buckets; till then a reader looks for that entry in the wrong bucket first.
     */
    void settle() {
        if (!owes) {
            return;
        }
        owes = false;
        final int parentColor = parentColor(owedHead);
        if (parentColor == ROOT_COLOR) {
            probe.root(table);
        } else if (!probe.find(table, owedAbove, parentColor << COLOR_SHIFT, BY_COLOR_ALONE_MASK)) {
            return; // not yet placed, or gone
        }
        if (type(probe.head()) == BITMAP) {
            final long bit = childBit(code(owedHead));
            final long before = hints(probe.head(), probe.tail());
            putHints(owedSecondary ? before | bit : before & ~bit, children(probe.tail()));
        }
    }

    /** Writes hints and children of the bitmap node that was found. */
    private void putHints(final long hints, final long children) {
        write(probe.line(), probe.cell(), withBodyOf(probe.head(), bitmapHead(hints)),
            bitmapTail(children, hints) | probe.tail() & STATION);
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

    /** Returns the number of buckets that a number of entries need. */
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
        table.freeCounts().reach(wanted + COUNTED_AHEAD);
        while (table.buckets() < wanted) {
            addBucket();
        }
        return true;
    }

    /**
     * Adds buckets for what a put usually adds, if there is memory for that; else the put fails if it needs more. A put does this
     * while it waits for its own buckets: what moves meanwhile is not found where the put's walk has asked for it, and is looked
     * for by the new number of buckets then; a station that has moved is passed over.
     */
    void growAhead() {
        ensure(USUAL_ENTRIES);
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
            beginWrite(line);
            for (int cell = 0; cell < CELLS; cell++) {
                if ((cells >>> cell & 1) != 0) {
                    putCell(line, cell, 0, 0);
                }
            }
            endWrite(line);
            noteFree(bucketAt(line));
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
