/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds data sets by name. */
final class Datasets {
    private static final String DEBIAN_PATHS = "debian-paths";
    private static final Pattern PREFIX_NAME = Pattern.compile("(short|long)-prefix-([0-9]{1,5})");
    private static final List<Integer> PREFIX_LENGTHS = List.of(16, 64, 256);
    private static final int TAIL_BYTES = Integer.BYTES;
    private static final int SHORTEST_PREFIX_KEY = Long.BYTES;

    private static final Map<String, GeneratedDataset> GENERATED = new LinkedHashMap<>();

    static {
        random("rand-8", 8, 8);
        random("rand-16", 16, 16);
        random("k6", 64, 6);
        random("k8", 256, 7);
        random("k10", 1024, 10);
        generated("decimal-a", DecimalKeys::a);
        generated("decimal-b", DecimalKeys::b);
        generated("osm", LocationKeys::new);
        generated("az", ReviewKeys::new);
        generated("user-names", UserNameKeys::new);
    }

    private Datasets() {
    }

    private static void random(final String name, final int bytes, final long seed) {
        generated(name, () -> new RandomKeys(0, bytes, seed));
    }

    private static void generated(final String name, final Supplier<KeyGenerator> generators) {
        GENERATED.put(name, new GeneratedDataset(name, generators));
    }

    static List<String> names() {
        final List<String> names = new ArrayList<>(GENERATED.keySet());
        for (final int length : PREFIX_LENGTHS) {
            names.add("short-prefix-" + length);
            names.add("long-prefix-" + length);
        }
        names.add(DEBIAN_PATHS);
        return List.copyOf(names);
    }

    static Dataset of(final String name) throws DatasetException {
        final GeneratedDataset generated = GENERATED.get(name);
        if (generated != null) {
            return generated;
        }
        final Matcher prefixed = PREFIX_NAME.matcher(name);
        if (prefixed.matches()) {
            return prefixed(name, prefixed.group(1).equals("long"), Integer.parseInt(prefixed.group(2)));
        }
        if (name.equals(DEBIAN_PATHS)) {
            return file(name, DatasetDirectory.debianPaths());
        }
        final Path path = path(name);
        if (path == null || name.isBlank() || !Files.exists(path)) {
            throw new DatasetException("expected a file with a key a line, or one of " + String.join(", ", names())
                + ", but was '" + name + "'");
        }
        return file(name, path);
    }

    static void checkCount(final String name, final int count) {
        if (count < 0) {
            throw new IllegalArgumentException(name + ": " + count + " keys asked for");
        }
    }

    private static Dataset prefixed(final String name, final boolean longPrefix, final int length) throws DatasetException {
        if (length < SHORTEST_PREFIX_KEY || length > KeySet.MAX_KEY_BYTES) {
            throw new DatasetException(
                name + ": keys are " + SHORTEST_PREFIX_KEY + " to " + KeySet.MAX_KEY_BYTES + " bytes long");
        }
        final int prefix = longPrefix ? length - TAIL_BYTES : 0;
        return new GeneratedDataset(name, () -> new RandomKeys(prefix, length - prefix, length));
    }

    private static Path path(final String name) {
        try {
            return Path.of(name);
        } catch (final InvalidPathException e) {
            return null;
        }
    }

    private static Dataset file(final String name, final Path path) throws DatasetException {
        final String fileName = String.valueOf(path.getFileName());
        if (Files.isDirectory(path)) {
            throw new DatasetException(path + " is a directory, not a file with keys");
        }
        if (!Files.isReadable(path)) {
            throw new DatasetException(path + " cannot be read: permission denied");
        }
        final Packing packing = Packing.ofFileName(fileName);
        if (packing == Packing.LZ4) {
            throw new DatasetException(path + " is packed with LZ4, a data set is plain or packed with gzip");
        }
        return new TextDataset(name, () -> open(path, packing),
            DatasetFormat.ofFileName(packing.plainName(fileName)));
    }

    private static InputStream open(final Path path, final Packing packing) throws IOException {
        final InputStream file = Files.newInputStream(path);
        try {
            final InputStream checked = packing.checked(file);
            return packing == Packing.GZIP ? new GzipReader(checked) : checked;
        } catch (final IOException e) {
            file.close();
            throw e;
        }
    }
}
