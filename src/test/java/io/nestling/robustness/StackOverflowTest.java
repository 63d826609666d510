/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import io.nestling.index.EntrySink;
import io.nestling.index.EntryView;
import io.nestling.memtable.Memtable;
import io.nestling.memtable.MemtableOptions;
import io.nestling.memtable.Snapshot;
import io.nestling.memtable.WriteBatch;
import io.nestling.testing.Effort;
import io.nestling.testing.Seeds;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Calls a memtable at each depth of a recursion, down to where the stack ends and up again, so that calls meet that end at any of
 * their frames. Nothing may hang afterwards, and a flush has every write that has returned.
 * <p>
 * All classes of the library are initialized before: a class whose initializer meets the end of the stack is unusable for ever,
 * by the rules of the JVM, in whatever library it is.
 * <p>
 * Seen to fail: with open snapshots in a tree map, which an error leaves half-changed, and with cursors that leave their guards
 * by a call.
 */
@Tag("robustness")
class StackOverflowTest {
    private static final long STACK_BYTES = 160 << 10;
    private static final int KEYS = 160;
    private static final int LIMIT_SECONDS = 60;
    private static final int FRAMES = 12;
    private static final int BESIDE = 150;

    private enum Call { GET, PUT, NEW, DELETE, BATCH, RANGE, GET_ALL, CURSOR, SNAPSHOT, FLUSH }

    private final Set<String> written = ConcurrentHashMap.newKeySet();
    private final Set<String> begun = ConcurrentHashMap.newKeySet();
    private Memtable memtable;
    private int number; // of the thread that dives, and afterwards of the one that checks

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void write(final String key) {
        begun.add(key);
        memtable.put(bytes(key), bytes("value"));
        written.add(key);
    }

    private void call(final Call call) {
        switch (call) {
            case GET:
                memtable.get(bytes("key 7"));
                break;
            case PUT:
                memtable.put(bytes("key 5"), bytes("value"));
                break;
            case NEW:
                write("new " + number++);
                break;
            case DELETE:
                memtable.delete(bytes("absent"));
                break;
            case BATCH:
                memtable.write(new WriteBatch().put(bytes("key 1"), bytes("value")).put(bytes("key 150"), bytes("value")));
                break;
            case RANGE:
                memtable.deleteRange(bytes("range " + number), bytes("range " + number++ + " end"));
                break;
            case GET_ALL:
                memtable.getAll(new byte[][] {bytes("key 3"), bytes("key 4"), bytes("key 100")}, new byte[3][]);
                break;
            case CURSOR:
                try (EntryCursor cursor = memtable.cursor()) {
                    cursor.seek(bytes("key 12"));
                    cursor.next();
                    cursor.previous();
                }
                break;
            case SNAPSHOT:
                try (Snapshot snapshot = memtable.snapshot()) {
                    snapshot.lookup(bytes("key 9"));
                }
                break;
            case FLUSH:
                memtable.flush(new Keys());
                break;
            default:
                throw new AssertionError(call);
        }
    }

    @BeforeAll
    static void initializeClasses() throws Exception {
        final URI location = Memtable.class.getProtectionDomain().getCodeSource().getLocation().toURI();
        if (Files.isDirectory(Path.of(location))) {
            initializeClasses(Path.of(location));
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(Path.of(location))) {
                initializeClasses(jar.getPath("/"));
            }
        }
    }

    private static void initializeClasses(final Path root) throws Exception {
        try (Stream<Path> files = Files.walk(root.resolve("io/nestling"))) {
            for (final Path file : (Iterable<Path>) files::iterator) {
                final String name = root.relativize(file).toString().replaceAll("[/\\\\]", ".");
                if (name.endsWith(".class")) {
                    Class.forName(name.substring(0, name.length() - ".class".length()));
                }
            }
        }
    }

    /** Returns how deep the stack is. */
    private int measure(final int depth) {
        try {
            return measure(depth + 1);
        } catch (final StackOverflowError e) {
            return depth;
        }
    }

    /** Goes deeper, and calls on the way where the end is near, and again on the way back; an error ends neither. */
    private void dive(final Call call, final boolean onTheWay, final int depth, final int from) {
        if (onTheWay && depth > from) {
            attempt(call);
        }
        try {
            dive(call, onTheWay, depth + 1, from);
        } catch (final StackOverflowError e) {
            // turn back
        }
        if (depth > from) {
            attempt(call);
        }
    }

    private void attempt(final Call call) {
        try {
            call(call);
        } catch (final StackOverflowError | IllegalStateException e) {
            // which is what this is about
        }
    }

    private void pad(final int frames, final Call call, final boolean onTheWay) {
        if (frames > 0) {
            pad(frames - 1, call, onTheWay);
        } else {
            dive(call, onTheWay, 0, measure(0) / 2);
        }
    }

    /** The keys that a flush passes on. */
    private static final class Keys implements EntrySink {
        private final Set<String> keys = new TreeSet<>();

        @Override
        public void begin(final long entries, final long bytes, final long ranges) {
        }

        @Override
        public void entry(final EntryView entry) {
            keys.add(new String(entry.key(), StandardCharsets.US_ASCII));
        }

        @Override
        public void rangeTombstone(final byte[] from, final byte[] to, final long sequence) {
        }

        @Override
        public void end() {
        }
    }

    private static void inTime(final String what, final long stackBytes, final Runnable action) throws Exception {
        final FutureTask<Void> task = new FutureTask<>(action, null);
        final Thread thread = new Thread(null, task, what, stackBytes);
        thread.setDaemon(true);
        thread.start();
        thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        assertTrue(!thread.isAlive(), () -> what + " hangs at " + List.of(thread.getStackTrace()));
        task.get();
    }

    @ParameterizedTest
    @EnumSource(IndexType.class)
    void shouldHangNobodyWhereverTheStackEnds(final IndexType index) throws Exception {
        final Random random = Seeds.random("StackOverflowTest " + index);
        for (int round = 0; round < Effort.count(1, 4, 500); round++) {
            for (final Call call : Call.values()) {
                begun.clear();
                written.clear();
                memtable = Memtable.open(MemtableOptions.builder().index(index).shards(1).capacityBytes(16 << 20).build());
                for (int i = 0; i < KEYS; i++) {
                    write("key " + i);
                }
                final boolean onTheWay = random.nextBoolean();
                final int frames = random.nextInt(FRAMES);
                final AtomicBoolean done = new AtomicBoolean();
                final Thread beside = new Thread(() -> writeBeside(done), index + " beside " + call);
                beside.setDaemon(true);
                beside.start();
                inTime(index + " " + call, STACK_BYTES, () -> pad(frames, call, onTheWay));
                done.set(true);
                beside.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
                assertTrue(!beside.isAlive(), () -> beside.getName() + " hangs at " + List.of(beside.getStackTrace()));
                inTime(index + " after " + call, 0, this::checkAfter);
            }
        }
    }

    /** Writes until the other thread is done, or this memtable takes no writes any more. */
    private void writeBeside(final AtomicBoolean done) {
        try {
            for (int i = 0; !done.get() && i < BESIDE; i++) {
                write("beside " + i);
            }
        } catch (final IllegalStateException e) {
            // the other thread's error has ended all writes
        }
    }

    private void checkAfter() {
        attempt(Call.GET);
        attempt(Call.NEW);
        attempt(Call.BATCH);
        attempt(Call.CURSOR);
        final Keys flushed = new Keys();
        memtable.flush(flushed);
        final Set<String> lost = new TreeSet<>(written);
        lost.removeAll(flushed.keys);
        assertEquals(Set.of(), lost, "keys that were written and are not passed on");
        flushed.keys.removeAll(begun);
        flushed.keys.remove("absent");
        assertEquals(Set.of(), flushed.keys, "keys that were not written and are passed on");
        memtable.freeze();
        memtable.close();
    }
}
