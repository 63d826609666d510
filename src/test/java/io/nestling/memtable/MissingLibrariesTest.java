/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import io.nestling.catalog.IndexType;
import io.nestling.index.EntryCursor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Agrona and Netty are needed by the methods that take their buffers, and by nothing else. */
@Tag("jdk")
class MissingLibrariesTest {
    /** Loads the classes of the project once more, and finds none that begin with a name. */
    private static final class HidingLoader extends ClassLoader {
        private final String hidden;

        HidingLoader(final String hidden) {
            super(MissingLibrariesTest.class.getClassLoader());
            this.hidden = hidden;
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(hidden)) {
                throw new ClassNotFoundException(name + " is hidden");
            }
            if (!name.startsWith("io.nestling.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                final Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(final String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                final byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (final IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    /** Uses a memtable with each index from beginning to end. Run by the loader. */
    static final class Scenario {
        private Scenario() {
        }

        static String run() throws IOException {
            final StringBuilder found = new StringBuilder();
            for (final IndexType index : IndexType.values()) {
                try (Memtable memtable = Memtable.open(
                    MemtableOptions.builder().index(index).shards(2).capacityBytes(4 << 20).build())) {
                    for (int i = 0; i < 100; i++) {
                        memtable.put(bytes("key " + i), bytes("value " + i));
                    }
                    memtable.write(
                        new WriteBatch().put(bytes("key 1"), bytes("batch")).deleteRange(bytes("key 2"), bytes("key 5")));
                    memtable.delete(bytes("key 6"));
                    memtable.getAll(new byte[][] {bytes("key 1"), bytes("key 9")}, new byte[2][]);
                    try (Snapshot snapshot = memtable.snapshot(); EntryCursor cursor = snapshot.cursor()) {
                        int keys = 0;
                        for (boolean more = cursor.first(); more; more = cursor.next()) {
                            keys += cursor.value().length > 0 ? 1 : 0;
                        }
                        found.append(keys).append(' ');
                    }
                    memtable.freeze();
                    found.append(memtable.flush(new CollectingSink()).entries()).append(' ');
                }
            }
            return found.toString();
        }

        private static byte[] bytes(final String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.agrona.", "io.netty."})
    void shouldNotBeMissedByAMemtableThatNeedsNoneOfTheirBuffers(final String hidden) throws Exception {
        final ClassLoader loader = new HidingLoader(hidden);
        final Method run = loader.loadClass(Scenario.class.getName()).getDeclaredMethod("run");
        run.setAccessible(true);
        assertEquals(Scenario.run(), run.invoke(null));
        assertThrows(ClassNotFoundException.class, () -> loader.loadClass(
            hidden.startsWith("io.netty.") ? "io.netty.buffer.ByteBuf" : "org.agrona.DirectBuffer"), "it is not hidden");
    }
}
