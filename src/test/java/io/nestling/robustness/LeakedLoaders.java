/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import io.nestling.catalog.IndexType;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/** Main class of a process: class loaders use memtables in a thread that stays, as an application server's threads do, and go. */
final class LeakedLoaders {
    private static final int PATIENCE_SECONDS = 20;

    private LeakedLoaders() {
    }

    /** What each loader has of its own: lives of a memtable. */
    static final class Use implements Runnable {
        private final IndexType index;
        private final Path directory;

        /**
         * Makes a use.
         *
         * @param index name of the index
         * @param directory directory for tables
         */
        Use(final String index, final Path directory) {
            this.index = IndexType.valueOf(index);
            this.directory = directory;
        }

        @Override
        public void run() {
            try {
                for (int number = 1; number < 3; number++) {
                    MemtableLife.live(index, directory, number);
                }
            } catch (final Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Runs the loaders.
     *
     * @param args directory for tables; number of loaders of each index
     */
    public static void main(final String[] args) throws Exception {
        final Path directory = Files.createDirectories(Path.of(args[0], "tables-" + ProcessHandle.current().pid()));
        final int loaders = Integer.parseInt(args[1]);
        final URL[] urls = urls();
        final List<WeakReference<ClassLoader>> used = new ArrayList<>();
        final ExecutorService pool = Executors.newSingleThreadExecutor(work -> {
            final Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < loaders; i++) {
            for (final String index : List.of("TRIE", "CUCKOO_TRIE", "WORMHOLE", "MLP_INDEX", "SKIP_LIST", "COCUCKOO")) {
                used.add(use(pool, urls, index, directory));
            }
        }
        long alive = alive(used);
        long mappings = mappings();
        for (int i = 0; i < 10 * PATIENCE_SECONDS && alive + mappings > 0; i++) {
            System.gc();
            Thread.sleep(100);
            alive = alive(used);
            mappings = mappings();
        }
        pool.submit(() -> { }).get(); // the thread has been there all the time
        System.out.println(used.size() + " loaders, " + alive + " alive, " + mappings + " mappings of the library");
        MemtableLife.check(alive == 0, "no loader is alive but " + alive);
        MemtableLife.check(mappings == 0, "no mapping of the library is left but " + mappings);
    }

    private static WeakReference<ClassLoader> use(
        final ExecutorService pool, final URL[] urls, final String index, final Path directory) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            final Class<?> type = loader.loadClass(Use.class.getName());
            MemtableLife.check(type != Use.class, "a loader has classes of its own");
            final var constructor = type.getDeclaredConstructor(String.class, Path.class);
            constructor.setAccessible(true);
            pool.submit((Runnable) constructor.newInstance(index, directory)).get();
            return new WeakReference<>(loader);
        }
    }

    private static URL[] urls() throws MalformedURLException {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    private static long alive(final List<WeakReference<ClassLoader>> used) {
        return used.stream().filter(loader -> loader.get() != null).count();
    }

    private static long mappings() throws Exception {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("libnestling")).count();
        }
    }
}
