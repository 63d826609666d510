/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.offheap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupLimitTest {
    @TempDir
    private Path root;

    @Test
    void shouldReadTheLeastLimitOfVersion2() throws IOException {
        write("proc/self/cgroup", "0::/pod/box\n");
        write("sys/fs/cgroup/pod/box/memory.max", "max\n");
        assertEquals(Long.MAX_VALUE, new CgroupLimit(root).bytes);
        write("sys/fs/cgroup/pod/memory.max", "1073741824\n");
        assertEquals(1 << 30, new CgroupLimit(root).bytes);
        write("sys/fs/cgroup/pod/box/memory.max", "4096\n");
        assertEquals(4096, new CgroupLimit(root).bytes);
    }

    @Test
    void shouldReadTheLeastLimitOfVersion1() throws IOException {
        write("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/docker/0123\n0::/\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertEquals(Long.MAX_VALUE, new CgroupLimit(root).bytes);
        write("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "536870912\n");
        assertEquals(1 << 29, new CgroupLimit(root).bytes);
    }

    @Test
    void shouldSeeTheRootWhereThePathIsThatOfTheHost() throws IOException {
        write("proc/self/cgroup", "0::/../../system.slice/box\n");
        write("sys/fs/cgroup/memory.max", "4096\n");
        assertEquals(Long.MAX_VALUE, new CgroupLimit(root.resolve("none")).bytes);
        write("proc/self/cgroup", "0::/system.slice/box\nnonsense\n");
        assertEquals(4096, new CgroupLimit(root).bytes);
    }

    @Test
    void shouldWarnOnceOfACapacityBeyondTheLimit() throws IOException {
        write("proc/self/cgroup", "0::/\n");
        write("sys/fs/cgroup/memory.max", "1048576\n");
        final List<String> said = new ArrayList<>();
        final Handler handler = new Handler() {
            @Override
            public void publish(final LogRecord logged) {
                said.add(new SimpleFormatter().formatMessage(logged));
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        final Logger logger = Logger.getLogger(CgroupLimit.class.getPackageName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            final CgroupLimit limit = new CgroupLimit(root);
            limit.check(1 << 20);
            assertEquals(List.of(), said);
            limit.check((1 << 20) + 1);
            limit.check(Long.MAX_VALUE);
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
        assertEquals(1, said.size(), said.toString());
        assertTrue(
            said.get(0).contains("1048577 bytes, is beyond the memory limit of this process's control group, 1048576 bytes"),
            said.get(0));
        assertTrue(said.get(0).endsWith("choose a smaller capacity, or raise the limit"), said.get(0));
    }

    private void write(final String file, final String text) throws IOException {
        final Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
