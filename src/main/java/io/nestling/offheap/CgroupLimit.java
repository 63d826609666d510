/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The memory limit of the control group that this process is in (Linux, version 1 or 2), as a container has one.
 * <h2>Thread safety</h2>
 * All methods may be called by any thread. The limit is read once.
 */
public final class CgroupLimit {
    private static final long UNLIMITED = 1L << 62; // version 1 has a number for that
    private static final int FIELDS = 3;

    /* The least limit of the group and those around it; the greatest number if they have none. */
    final long bytes;
    private final AtomicBoolean hasWarned = new AtomicBoolean();

    CgroupLimit(final Path root) {
        this.bytes = read(root);
    }

    /** Holder of the limit, read when the first memtable is opened. */
    private static final class Process {
        static final CgroupLimit LIMIT = new CgroupLimit(Path.of("/"));
    }

    /** Returns the limit of this process. */
    public static CgroupLimit ofProcess() {
        return Process.LIMIT;
    }

    /**
     * Logs a warning (to the {@link System.Logger} with this package's name), once, if a capacity is beyond the limit: the system
     * ends the process before such a memtable is full.
     */
    public void check(final long capacity) {
        if (capacity > bytes && hasWarned.compareAndSet(false, true)) {
            System.getLogger(CgroupLimit.class.getPackageName()).log(System.Logger.Level.WARNING, "the capacity of a memtable, "
                + capacity + " bytes, is beyond the memory limit of this process's control group, " + bytes
                + " bytes, which Java heap and code take from too: the system ends the process before the memtable is full;"
                + " choose a smaller capacity, or raise the limit");
        }
    }

    private static long read(final Path root) {
        long least = Long.MAX_VALUE;
        try {
            final Path mounted = root.resolve("sys/fs/cgroup");
            for (final String line : Files.readAllLines(root.resolve("proc/self/cgroup"))) {
                final String[] fields = line.split(":", FIELDS); // number, controllers, path
                if (fields.length == FIELDS && fields[1].isEmpty()) {
                    least = Math.min(least, least(mounted, fields[2], "memory.max"));
                } else if (fields.length == FIELDS && ("," + fields[1] + ",").contains(",memory,")) {
                    least = Math.min(least, least(mounted.resolve("memory"), fields[2], "memory.limit_in_bytes"));
                }
            }
        } catch (final IOException | RuntimeException e) {
            return least; // another system, or one that does not show its groups
        }
        return least;
    }

    /* A container may see its own group as the root, while the path is that of the host. */
    private static long least(final Path mounted, final String path, final String file) throws IOException {
        long least = Long.MAX_VALUE;
        Path group = mounted.resolve(path.replaceFirst("^/+", "")).normalize();
        while (group != null && group.startsWith(mounted)) {
            final Path limit = group.resolve(file);
            if (Files.isReadable(limit)) {
                final String text = Files.readString(limit).strip();
                final long bytes = text.matches("\\d{1,18}") ? Long.parseLong(text) : Long.MAX_VALUE;
                least = Math.min(least, bytes >= UNLIMITED ? Long.MAX_VALUE : bytes);
            }
            group = group.getParent();
        }
        return least;
    }
}
