/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The file system operations of writers and readers of tables; tests replace them to let each one fail. */
interface FileOperations {
    /** A file under construction. */
    interface OutputFile extends Closeable {
        /** Empties the file. */
        void truncate() throws IOException;

        /** Appends bytes, possibly fewer than remain, and returns their number. */
        int write(ByteBuffer source) throws IOException;

        /** Appends all bytes that remain. */
        default void writeAll(final ByteBuffer source) throws IOException {
            while (source.hasRemaining()) {
                if (write(source) <= 0) {
                    throw new IOException("the file system takes no further byte");
                }
            }
        }

        /** Forces the content to the device. */
        void force() throws IOException;

        /** Deletes the name of the file, unless another file or writer has it by now, and closes the file. */
        void delete() throws IOException;
    }

    /** A file that any number of threads read by position. */
    interface InputFile extends Closeable {
        /** Reads bytes at a position, possibly fewer than fit, and returns their number; -1 at the end of the file. */
        int read(ByteBuffer destination, long position) throws IOException;
    }

    /** Opens a regular file for reading; throws if it is another kind of file: opening a pipe would wait for its writer. */
    InputFile openToRead(Path file) throws IOException;

    /**
     * Opens a file for writing, creates it if it is absent, and excludes every other writer until it is closed; throws if another
     * writer has it open.
     */
    OutputFile open(Path file) throws IOException;

    /** Creates a directory. */
    void createDirectory(Path directory) throws IOException;

    /**
     * Gives a file another name; throws an {@link UnsupportedOperationException} if the file system has no hard links, else an
     * {@link IOException} if it refuses this one.
     */
    void link(Path name, Path file) throws IOException;

    /** Renames a file or directory within its directory, atomically. */
    void rename(Path from, Path to) throws IOException;

    /** Deletes a file or an empty directory if it exists. */
    void delete(Path file) throws IOException;

    /** Forces the names in a directory to the device. */
    void forceDirectory(Path directory) throws IOException;
}
