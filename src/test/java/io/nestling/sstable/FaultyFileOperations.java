/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The file system with one operation that fails, before or after it was done, with short transfers, or with a limit of bytes. */
final class FaultyFileOperations implements FileOperations {
    private final FileOperations operations = SystemFileOperations.INSTANCE;
    private final Predicate<String> failing;
    private final int longestWrite;
    private final long capacity;
    private long written;
    private int count;
    private final List<String> log = new ArrayList<>();
    private String failed;
    private boolean afterwards;
    private int doneAt;
    private boolean forces = true;

    /**
     * Makes a faulty file system.
     *
     * @param failing tells by number and name, as in {@code 7 write}, whether an operation fails
     * @param longestWrite most bytes that one write takes or one read gives
     * @param capacity bytes that fit
     */
    FaultyFileOperations(final Predicate<String> failing, final int longestWrite, final long capacity) {
        this.failing = failing;
        this.longestWrite = longestWrite;
        this.capacity = capacity;
    }

    /** Fails once, at the operation with a number. */
    static FaultyFileOperations failingAt(final int number) {
        return new FaultyFileOperations(operation -> operation.startsWith(number + " "), Integer.MAX_VALUE,
            Long.MAX_VALUE);
    }

    /**
     * Fails once, at the operation with a number, after it was done, or after half of it if it writes or reads. Opening
     * fails before.
     */
    static FaultyFileOperations failingAfter(final int number, final int longestWrite) {
        final FaultyFileOperations operations = new FaultyFileOperations(
            operation -> operation.startsWith(number + " "), longestWrite, Long.MAX_VALUE);
        operations.afterwards = true;
        return operations;
    }

    /**
     * Stops as a process that is killed: from the operation with a number on, nothing is done; that operation before, or after it
     * was done.
     */
    static FaultyFileOperations stoppingAt(final int number, final boolean done) {
        final FaultyFileOperations operations = new FaultyFileOperations(
            operation -> Integer.parseInt(operation.substring(0, operation.indexOf(' '))) >= number, Integer.MAX_VALUE,
            Long.MAX_VALUE);
        operations.doneAt = done ? number : 0;
        return operations;
    }

    /** Makes no operation force anything to the device, which takes long: a killed process loses nothing by it. */
    FaultyFileOperations withoutForcing() {
        forces = false;
        return this;
    }

    private void forceStep(final String name, final Operation operation) throws IOException {
        step(name, forces ? operation : () -> { });
    }

    /** The operation that failed, or null. */
    String failed() {
        return failed;
    }

    /** Names of all operations so far. */
    List<String> log() {
        return log;
    }

    int count() {
        return count;
    }

    /** Something that can fail. */
    private interface Operation {
        void run() throws IOException;
    }

    private void step(final String name, final Operation operation) throws IOException {
        count++;
        log.add(name);
        final boolean fails = failing.test(count + " " + name);
        if (!fails || (afterwards || count == doneAt) && !name.startsWith("open")) {
            operation.run();
        }
        if (fails) {
            failed = count + " " + name;
            throw new IOException("injected: " + failed);
        }
    }

    @Override
    public OutputFile open(final Path file) throws IOException {
        final OutputFile[] opened = new OutputFile[1];
        step("open", () -> opened[0] = new FaultyFile(operations.open(file)));
        return opened[0];
    }

    @Override
    public InputFile openToRead(final Path file) throws IOException {
        final InputFile[] opened = new InputFile[1];
        step("openToRead", () -> opened[0] = new FaultyInput(operations.openToRead(file)));
        return opened[0];
    }

    @Override
    public void createDirectory(final Path directory) throws IOException {
        step("createDirectory", () -> operations.createDirectory(directory));
    }

    @Override
    public void link(final Path name, final Path file) throws IOException {
        step("link", () -> operations.link(name, file));
    }

    @Override
    public void rename(final Path from, final Path to) throws IOException {
        step("rename", () -> operations.rename(from, to));
    }

    @Override
    public void delete(final Path file) throws IOException {
        step("deleteName", () -> operations.delete(file));
    }

    @Override
    public void forceDirectory(final Path directory) throws IOException {
        forceStep("forceDirectory", () -> operations.forceDirectory(directory));
    }

    /** Transfers at most a number of bytes, or half of them if the operation fails afterwards. */
    private int transfer(final String name, final ByteBuffer buffer, final long most, final Transfer transfer)
        throws IOException {
        final boolean half = (afterwards || count + 1 == doneAt) && failing.test(count + 1 + " " + name);
        final int limit = buffer.limit();
        final int room = (int) Math.min(limit - buffer.position(), most);
        final int[] bytes = new int[1];
        try {
            buffer.limit(buffer.position() + (half ? room / 2 : room));
            step(name, () -> bytes[0] = transfer.of(buffer));
        } finally {
            buffer.limit(limit);
        }
        return bytes[0];
    }

    /** A write or a read. */
    private interface Transfer {
        int of(ByteBuffer buffer) throws IOException;
    }

    private final class FaultyInput implements InputFile {
        private final InputFile file;

        FaultyInput(final InputFile file) {
            this.file = file;
        }

        @Override
        public int read(final ByteBuffer destination, final long position) throws IOException {
            return transfer("read", destination, longestWrite, buffer -> file.read(buffer, position));
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private final class FaultyFile implements OutputFile {
        private final OutputFile file;

        FaultyFile(final OutputFile file) {
            this.file = file;
        }

        @Override
        public void truncate() throws IOException {
            step("truncate", file::truncate);
        }

        @Override
        public int write(final ByteBuffer source) throws IOException {
            final long room = Math.min(longestWrite, capacity - written);
            if (room <= 0) {
                count++;
                log.add("write");
                failed = count + " write";
                throw new FileSystemException("No space left on device");
            }
            final int bytes = transfer("write", source, room, file::write);
            written += bytes;
            return bytes;
        }

        @Override
        public void force() throws IOException {
            forceStep("force", file::force);
        }

        @Override
        public void delete() throws IOException {
            step("delete", file::delete);
        }

        @Override
        public void close() throws IOException {
            try {
                step("close", () -> { });
            } finally {
                file.close();
            }
        }
    }
}
