/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nestling.bridge.MemoryAdvice;
import io.nestling.bridge.NativeBridges;
import io.nestling.memory.MemoryBudget;
import io.nestling.testing.NettySlabs;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

@Tag("bridge")
@Timeout(120)
class PagePrefaulterTest {
    private static final long MIB = 1L << 20;
    private static final long PAGE = MemoryBudget.SLAB_BYTES;
    private static final long ENDLESS = Long.MAX_VALUE;
    private static final int SMALL_PAGE_SHIFT = 12;
    private static final boolean ENABLED = Boolean.parseBoolean(System.getProperty(PagePrefaulter.PREFAULT_PROP_NAME, "true"));
    private static final Path PAGE_MAP = Path.of("/proc/self/pagemap");

    @Test
    void shouldPopulateWhatComesNext() throws IOException {
        assumePossible();
        try (Slab slab = SlabAllocator.direct().allocate(256 * MIB); PagePrefaulter ahead = serving(slab)) {
            grow(ahead, 64 * MIB - PAGE, 64 * MIB, ENDLESS);
            assertEquals("..pp.", pages(slab, 64 * MIB - 2 * PAGE, 5));
            grow(ahead, 64 * MIB, 64 * MIB + PAGE, ENDLESS);
            assertEquals("..ppp.", pages(slab, 64 * MIB - 2 * PAGE, 6));
        }
    }

    @Test
    void shouldTakeNoMoreThanASixteenthAndEightMebibytes() throws IOException {
        assumePossible();
        try (Slab slab = SlabAllocator.direct().allocate(512 * MIB); PagePrefaulter ahead = serving(slab)) {
            grow(ahead, 30 * MIB, 32 * MIB - 1, ENDLESS);
            assertEquals("..", pages(slab, 30 * MIB, 2), "a sixteenth is less than a page");
            grow(ahead, 32 * MIB - 1, 32 * MIB, ENDLESS);
            assertEquals(".p..", pages(slab, 30 * MIB, 4));
            grow(ahead, 400 * MIB - PAGE, 400 * MIB, ENDLESS);
            assertEquals("pppp.", pages(slab, 400 * MIB, 5));
        }
    }

    @Test
    void shouldSkipWhatIsInUseByThen() throws IOException {
        assumePossible();
        try (Slab slab = SlabAllocator.direct().allocate(256 * MIB); PagePrefaulter ahead = serving(slab)) {
            grow(ahead, 64 * MIB - PAGE, 64 * MIB, ENDLESS);
            grow(ahead, 100 * MIB - 100, 100 * MIB + 1, ENDLESS);
            assertEquals("pp................", pages(slab, 64 * MIB, 18));
            assertEquals(".pp..", pages(slab, 100 * MIB, 5), "from the first page on of which nothing is in use");
        }
    }

    @Test
    void shouldSkipWhatComesIntoUseWhileAnotherThreadPopulates() throws Exception {
        assumePossible();
        for (int round = 0; round < 200; round++) {
            final AtomicBoolean ended = new AtomicBoolean();
            try (Slab slab = SlabAllocator.direct().allocate(256 * MIB); PagePrefaulter ahead = serving(slab)) {
                grow(ahead, 32 * MIB - PAGE, 32 * MIB, ENDLESS);
                final Thread populating = new Thread(() -> {
                    while (!ended.get()) {
                        ahead.run();
                    }
                });
                populating.start();
                try {
                    Thread.sleep(0, 100_000 + round * 1_000);
                    grow(ahead, 36 * MIB, 38 * MIB, ENDLESS);
                } finally {
                    ended.set(true);
                    populating.join();
                }
                assertEquals("p..p.", pages(slab, 32 * MIB, 5), "round " + round);
            }
        }
    }

    @Test
    void shouldStayWithinWhatTheBudgetHasAndTheSlabEnds() throws IOException {
        assumePossible();
        try (Slab slab = SlabAllocator.direct().allocate(256 * MIB); PagePrefaulter ahead = serving(slab)) {
            grow(ahead, 128 * MIB - PAGE, 128 * MIB, 2 * PAGE - 1);
            assertEquals("p...", pages(slab, 128 * MIB, 4));
            grow(ahead, 256 * MIB - 2 * PAGE, 256 * MIB - PAGE, ENDLESS);
            assertEquals(".p", pages(slab, 256 * MIB - 2 * PAGE, 2));
            grow(ahead, 256 * MIB - PAGE, 256 * MIB, ENDLESS);
        }
    }

    @Test
    void shouldNotFollowALargeStep() throws IOException {
        assumePossible();
        try (Slab slab = SlabAllocator.direct().allocate(256 * MIB); PagePrefaulter ahead = serving(slab)) {
            grow(ahead, 0, 128 * MIB, ENDLESS);
            assertEquals("....", pages(slab, 128 * MIB, 4));
        }
    }

    @Test
    void shouldLeaveTheContentAsItIs() throws IOException {
        assumePossible();
        try (Slab slab = SlabAllocator.direct().allocate(256 * MIB); PagePrefaulter ahead = serving(slab)) {
            slab.putLong(64 * MIB + 8, 42);
            grow(ahead, 64 * MIB - PAGE, 64 * MIB, ENDLESS);
            assertEquals("pp.", pages(slab, 64 * MIB, 3));
            assertEquals(42, slab.getLong(64 * MIB + 8));
            slab.putLong(64 * MIB + 8, 0);
            for (long at = 64 * MIB; at < 68 * MIB; at += Long.BYTES) {
                assertEquals(0, slab.getLong(at));
            }
        }
    }

    @Test
    void shouldDoNothingAfterClose() throws IOException {
        assumePossible();
        try (Slab slab = SlabAllocator.direct().allocate(256 * MIB)) {
            final PagePrefaulter ahead = serving(slab);
            ahead.close();
            grow(ahead, 64 * MIB - PAGE, 64 * MIB, ENDLESS);
            assertEquals("...", pages(slab, 64 * MIB, 3));
        }
    }

    @Test
    void shouldNotServeMemoryThatItDidNotMap() {
        final SlabAllocator netty = NettySlabs.of(UnpooledByteBufAllocator.DEFAULT);
        try (Slab slab = netty.allocate(64 * MIB); PagePrefaulter ahead = serving(slab)) {
            assertFalse(ahead.isPossible());
        }
        try (Slab slab = SlabAllocator.direct().allocate(64 * MIB); PagePrefaulter ahead = serving(slab)) {
            assertTrue(ahead.isPossible() || !NativeBridges.get().isNative() || !ENABLED);
        }
    }

    /** Whoever closes waits for the page that is being populated, as the memory is unmapped then. */
    @Test
    void shouldWaitForThePageUnderWayOnClose() throws InterruptedException {
        final PagePrefaulter ahead = new PagePrefaulter();
        final Thread closing = new Thread(ahead::close);
        synchronized (ahead) {
            closing.start();
            while (closing.getState() != Thread.State.BLOCKED) {
                assertTrue(closing.isAlive(), "closed without waiting");
                Thread.onSpinWait();
            }
        }
        closing.join();
    }

    @Test
    void shouldForgetWhatIsNotWantedAnyMore() throws IOException {
        assumePossible();
        try (GrowingSlab growing = grown(MemoryBudget.ofBytes(256 * MIB), 64 * MIB)) {
            final PagePrefaulter ahead = growing.prefaulter;
            synchronized (ahead) { // nothing is populated meanwhile
                assertTrue(growing.growTo(80 * MIB - PAGE));
                assertTrue(growing.growTo(80 * MIB));
                growing.shrinkTo(72 * MIB);
            }
            ahead.run();
            assertEquals("..", pages(growing.slab(), 80 * MIB, 2));
            assertEquals(72 * MIB, growing.limit());
        }
    }

    @Test
    void shouldLeaveSmallPagesAlone() throws IOException {
        assumePossible();
        final MemoryBudget small = MemoryBudget.ofBytes(128 * MIB, 32);
        try (GrowingSlab growing = grown(small, 64 * MIB)) {
            growing.prefaulter.run();
            assertEquals("....", pages(growing.slab(), 64 * MIB, 4), "a budget in steps of " + small.step());
        }
        final MemoryBudget fromSmall = MemoryBudget.fromSmall(128 * MIB);
        try (GrowingSlab growing = grown(fromSmall, 64 * MIB)) {
            growing.prefaulter.run();
            assertEquals("pp.", pages(growing.slab(), 64 * MIB, 3), "small pages at the beginning only");
        }
    }

    @Test
    void shouldServeAGrowingSlabByAThreadOfItsOwn() throws Exception {
        assumePossible();
        try (GrowingSlab growing = grown(MemoryBudget.ofBytes(256 * MIB), 64 * MIB)) {
            while (!pages(growing.slab(), 64 * MIB, 3).equals("pp.")) {
                Thread.sleep(1);
            }
            assertEquals("................", pages(growing.slab(), 0, 16), "the beginning is as it was");
            assertEquals(64 * MIB, growing.limit());
        }
    }

    @Test
    void shouldNotPopulateBeyondTheBudgetOfAGrowingSlab() throws IOException {
        assumePossible();
        final MemoryBudget budget = MemoryBudget.ofBytes(70 * MIB);
        try (GrowingSlab growing = grown(budget, 64 * MIB)) {
            growing.prefaulter.run();
            assertEquals("p..", pages(growing.slab(), 64 * MIB, 3));
            assertTrue(growing.growTo(66 * MIB));
            growing.prefaulter.run();
            assertEquals("p..", pages(growing.slab(), 64 * MIB, 3));
        }
        assertEquals(0, budget.used());
    }

    @Test
    void shouldLetManySlabsGrowAndCloseAtOnce() throws Exception {
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            final Future<?>[] growing = new Future<?>[4];
            for (int i = 0; i < growing.length; i++) {
                growing[i] = threads.submit(PagePrefaulterTest::growAndClose);
            }
            for (final Future<?> future : growing) {
                future.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void growAndClose() {
        final MemoryBudget budget = MemoryBudget.ofBytes(256 * MIB);
        for (int turn = 0; turn < 30; turn++) {
            try (GrowingSlab growing = new GrowingSlab(SlabAllocator.direct(), budget, 64 * MIB)) {
                for (long end = PAGE; end <= (34L + turn % 8 * 2) * MIB; end += PAGE) {
                    assertTrue(growing.growTo(end));
                    if (end > 32 * MIB) {
                        assertEquals(0, growing.slab().getLong(end - Long.BYTES));
                        growing.slab().putLong(end - Long.BYTES, end);
                    }
                }
                for (long end = 34 * MIB; end <= growing.limit(); end += PAGE) {
                    assertEquals(end, growing.slab().getLong(end - Long.BYTES));
                }
            }
            assertEquals(0, budget.used());
        }
    }

    private static PagePrefaulter serving(final Slab slab) {
        final PagePrefaulter ahead = new PagePrefaulter();
        ahead.serve(slab);
        return ahead;
    }

    /** The part in use grows, and all that comes of it is done. */
    private static void grow(final PagePrefaulter ahead, final long before, final long end, final long room) {
        final long to = ahead.endFor(before, end, room);
        if (to > 0) {
            ahead.populate(end, to);
        }
        ahead.run();
    }

    /** A slab that grew step by step, without a page touched. */
    private static GrowingSlab grown(final MemoryBudget budget, final long end) {
        final GrowingSlab growing = new GrowingSlab(SlabAllocator.direct(), budget, 256 * MIB);
        for (long at = PAGE; at <= end; at += PAGE) {
            assertTrue(growing.growTo(at));
        }
        return growing;
    }

    /** For each huge page from an offset on, whether the system has put memory there. */
    private static String pages(final Slab slab, final long offset, final int count) throws IOException {
        final StringBuilder pages = new StringBuilder();
        try (RandomAccessFile map = new RandomAccessFile(PAGE_MAP.toFile(), "r")) {
            for (int i = 0; i < count; i++) {
                final boolean there = isThere(map, slab.address(offset + i * PAGE));
                final boolean wholly = there == isThere(map, slab.address(offset + (i + 1) * PAGE - 1));
                pages.append(!wholly ? '?' : there ? 'p' : '.');
            }
        }
        return pages.toString();
    }

    private static boolean isThere(final RandomAccessFile map, final long address) throws IOException {
        final byte[] entry = new byte[Long.BYTES]; // little-endian, its highest bit says that the page is there
        map.seek((address >>> SMALL_PAGE_SHIFT) * Long.BYTES);
        map.readFully(entry);
        return entry[Long.BYTES - 1] < 0;
    }

    private static void assumePossible() throws IOException {
        assumeTrue(ENABLED, "switched on");
        assumeTrue(NativeBridges.get().isNative(), "a native bridge");
        assumeTrue(Files.isReadable(PAGE_MAP), "the kernel tells which pages there are");
        try (Slab slab = SlabAllocator.direct().allocate(2 * PAGE)) {
            final int refusal = NativeBridges.get().advise(slab.address(0), PAGE, MemoryAdvice.POPULATE);
            assumeTrue(refusal == 0, "the kernel populates: " + refusal);
            assumeTrue("p.".equals(pages(slab, 0, 2)), "the kernel tells that");
        }
    }
}
