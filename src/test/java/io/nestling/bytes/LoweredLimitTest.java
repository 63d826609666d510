/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.IndexContext;
import io.nestling.index.OrderedIndex;
import io.nestling.index.PointIndex;
import io.nestling.memory.MemoryBudget;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.offheap.EpochReclaimer;
import io.nestling.offheap.SlabAllocator;
import io.nestling.testing.HeapKeySource;
import io.nestling.testing.Limit;
import io.nestling.testing.LimitsLoader;
import io.nestling.testing.Seeds;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LoweredLimitTest {
    private static final String NAME = "test.limit";

    private static int of(final String text) throws Exception {
        System.setProperty(LoweredLimit.PROP_PREFIX + NAME, text);
        try {
            return LoweredLimit.of(NAME, 64, 8);
        } finally {
            System.clearProperty(LoweredLimit.PROP_PREFIX + NAME);
        }
    }

    @Test
    void shouldBeTheUsualOneWithoutAProperty() throws Exception {
        assertEquals(64, LoweredLimit.of(NAME, 64, 8));
        assertEquals(64, LoweredLimit.powerOfTwo(NAME, 64, 8));
        assertEquals(8, of("8"));
        assertEquals(64, of("64"));
    }

    @Test
    void ofThrowsIllegalArgumentWhenThePropertyIsOutOfRangeOrNoNumber() {
        for (final String wrong : List.of("7", "65", "-8", "", "many")) {
            final String message = assertThrows(IllegalArgumentException.class, () -> of(wrong)).getMessage();
            assertTrue(message.contains(LoweredLimit.PROP_PREFIX + NAME) && message.contains(wrong), message);
        }
    }

    @Test
    void powerOfTwoThrowsIllegalArgumentWhenThePropertyIsNone() throws Exception {
        LimitsLoader.with(Map.of(NAME, 24), () -> {
            final String message =
                assertThrows(IllegalArgumentException.class, () -> LoweredLimit.powerOfTwo(NAME, 64, 8)).getMessage();
            assertTrue(message.contains("power of two") && message.contains("24"), message);
        });
    }

    @Test
    void structuresThrowWhenALimitIsBelowTheirLeast() throws Exception {
        for (final Limit limit : Limit.ALL) {
            LimitsLoader.with(Map.of(limit.name(), limit.least() - 1), () -> {
                final Error error = assertThrows(ExceptionInInitializerError.class,
                    () -> Class.forName("io.nestling." + limit.className(), true, new LimitsLoader()), limit::name);
                assertEquals(LoweredLimit.PROP_PREFIX + limit.name() + ": expected a number from " + limit.least() + " to "
                    + limit.usual() + " but was " + (limit.least() - 1), error.getCause().getMessage());
            });
        }
    }

    /** Seen to fail when a limit was renamed and the race finder went on with the old name. */
    @Test
    void shouldBeLoweredForTheRaceFinderByNamesThatAreRead() throws IOException {
        final Path root = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        final Set<String> read = new TreeSet<>();
        try (Stream<Path> files = Files.walk(root.resolve("src/main/java"))) {
            for (final Path file : files.filter(file -> file.toString().endsWith(".java")).toList()) {
                names("LoweredLimit\\.(?:of|powerOfTwo)\\(\\s*\"([\\w.]+)\"", file, read);
            }
        }
        final Set<String> lowered = names("(?m)^io\\.nestling\\.limit\\.([\\w.]+)=",
            root.resolve("src/schedule/limits.properties"), new TreeSet<>());
        assertTrue(lowered.size() > 10, lowered::toString);
        lowered.removeAll(read);
        assertEquals(Set.of(), lowered, () -> "expected one of " + read);
    }

    private static Set<String> names(final String pattern, final Path file, final Set<String> names) throws IOException {
        final Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    @Test
    void shouldWorkAtTheLowestLimits() throws Exception {
        final long seed = Seeds.seed("lowest limits");
        LimitsLoader.with(Limit.lowest(), () -> {
            final Class<?> program = Class.forName(Program.class.getName(), true, new LimitsLoader());
            ((Runnable) program.getConstructor(long.class).newInstance(seed)).run();
        });
    }

    /** Random operations on each index and on a memtable of each, against a map. */
    public static final class Program implements Runnable {
        private static final long BYTES = 16L << 20;
        private static final int KEYS = 700;
        private static final int OPERATIONS = 4_000;

        private final Random random;

        /** Makes a program whose operations follow from a seed. */
        public Program(final long seed) {
            this.random = new Random(seed);
        }

        @Override
        public void run() {
            for (final IndexType type : IndexType.values()) {
                for (int style = 0; style < 3; style++) {
                    checkIndex(type, style);
                    checkMemtable(type, style);
                }
            }
        }

        private byte[] key(final int style, final int number) {
            return switch (style) {
                case 0 -> ByteBuffer.allocate(8).putLong(number * 0x9E37_79B9_7F4A_7C15L).array();
                case 1 -> ByteBuffer.allocate(8).putLong(number).array();
                default -> ("path/" + number % 7 + "/" + number / 7).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            };
        }

        private void checkIndex(final IndexType type, final int style) {
            final HeapKeySource keys = new HeapKeySource(payload -> key(style, (int) (payload % KEYS)));
            final EpochReclaimer epochs = new EpochReclaimer();
            final PointIndex index = type.create(
                new IndexContext(SlabAllocator.direct(), MemoryBudget.ofBytes(BYTES), epochs, keys, BYTES));
            final TreeMap<byte[], Long> model = new TreeMap<>(Arrays::compareUnsigned);
            for (int i = 1; i <= OPERATIONS; i++) {
                final int number = random.nextInt(i < OPERATIONS / 2 ? KEYS : KEYS / 8);
                final byte[] key = key(style, number);
                final boolean remove = random.nextInt(i / 1000 % 2 == 0 ? 5 : 2) == 0;
                final Long before = remove ? model.remove(key) : model.put(key, (long) i * KEYS + number);
                final long found = remove ? index.remove(key, 0, key.length)
                    : index.put(key, 0, key.length, (long) i * KEYS + number);
                assertEquals(before == null ? PointIndex.NONE : before, found, () -> type + ", key " + number);
                if (i % 500 == 0) {
                    index.verify();
                }
            }
            for (int number = 0; number < KEYS; number++) {
                final byte[] key = key(style, number);
                assertEquals(model.getOrDefault(key, PointIndex.NONE), index.get(key, 0, key.length));
            }
            if (index instanceof OrderedIndex ordered) {
                final int guard = epochs.enter();
                try (EntryCursor cursor = ordered.cursor()) {
                    check(model.keySet().stream().map(Arrays::toString).toList(), cursor, type);
                }
                epochs.exit(guard);
            }
            index.close();
        }

        private static void check(final List<String> expected, final EntryCursor cursor, final IndexType type) {
            final List<String> shown = new ArrayList<>();
            for (boolean more = cursor.first(); more; more = cursor.next()) {
                shown.add(Arrays.toString(cursor.key()));
            }
            assertEquals(expected, shown, type::toString);
        }

        private void checkMemtable(final IndexType type, final int style) {
            final TreeMap<byte[], Integer> model = new TreeMap<>(Arrays::compareUnsigned);
            try (Memtable memtable = Memtable.open(MemtableOptions.builder().index(type).capacityBytes(BYTES).build())) {
                for (int i = 0; i < OPERATIONS / 2; i++) {
                    final byte[] key = key(style, random.nextInt(KEYS));
                    memtable.put(key, new byte[i & 63]);
                    model.put(key, i & 63);
                    if (i % 100 == 99) {
                        try (EntryCursor cursor = memtable.cursor()) {
                            check(model.keySet().stream().map(Arrays::toString).toList(), cursor, type);
                        }
                    }
                }
                model.forEach((key, length) -> assertEquals(length, memtable.get(key).length));
            }
        }
    }
}
