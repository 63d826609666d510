/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** What writers and readers of tables ask of the file system: a seam where tests let each operation fail. */
interface FileOperations {
    /** A file under construction. */
    interface OutputFile extends Closeable {
        /** Drops what the file held before. */
        void truncate() throws IOException;

        /** Appends bytes, perhaps fewer than remain, and returns how many. */
        int write(ByteBuffer source) throws IOException;

        /** Returns when the content is on the device. */
        void force() throws IOException;

        /** Removes the name that the file was opened by, unless another file or writer has it by now, and closes the file. */
        void delete() throws IOException;
    }

    /** A file that is read by position, by any number of threads. */
    interface InputFile extends Closeable {
        /** Reads bytes at a position, perhaps fewer than fit, and returns how many; -1 at the end of the file. */
        int read(ByteBuffer destination, long position) throws IOException;
    }

    /**
     * Opens a regular file for reading.
     *
     * @throws IOException if it is another kind of file: to open a pipe would wait for its writer
     */
    InputFile openToRead(Path file) throws IOException;

    /**
     * Opens a file for writing, making it if it is not there, and keeps every other writer out of it until it
     * is closed.
     *
     * @throws IOException if another writer is at work on it
     */
    OutputFile open(Path file) throws IOException;

    /** Gives a file another name in the same directory, at once. */
    void rename(Path from, Path to) throws IOException;

    /** Returns when the names in a directory are on the device. */
    void forceDirectory(Path directory) throws IOException;
}
