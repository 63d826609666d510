/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The tables of a directory as one moment has them. Each change replaces the file as a whole. Lines of US-ASCII:
 * <pre>
 *  nestling-tables 1        version of the format
 *  next 8                   number of the next table
 *  sequence 1234            greatest sequence number that a table ever had
 *  table 7                  a table, the newest one first
 *  table 5
 *  crc32c 0a1b2c3d          checksum of all lines before
 * </pre>
 *
 * @param stored whether it is in the file; otherwise the directory has none, and every table counts
 * @param tables numbers of the tables, the newest one first
 * @param nextNumber number of the next table, above all that a manifest named
 * @param greatestSequence greatest sequence number that a table ever had; 0 if the file is absent
 */
record Manifest(boolean stored, List<Long> tables, long nextNumber, long greatestSequence) {
    static final String NAME = "MANIFEST";

    private static final Pattern TABLE_NAME = Pattern.compile("(\\d{6,18})\\.sst(\\.tmp)?");
    private static final String SUFFIX = ".sst";
    private static final String MAGIC = "nestling-tables ";
    private static final int VERSION = 1;
    private static final String CHECKSUM = "crc32c ";
    private static final Pattern BODY = Pattern.compile(
        MAGIC + VERSION + "\\nnext (\\d{1,18})\\nsequence (\\d{1,18})\\n((?:table \\d{1,18}\\n)*)");
    private static final Pattern FIRST_LINE = Pattern.compile(MAGIC + "(\\d{1,9})\\n");
    private static final int MAX_BYTES = 1 << 26;

    /** Reads the manifest of a directory, or lists the tables of one that has none. */
    static Manifest read(final Path directory) throws IOException {
        final Manifest manifest = readFile(directory);
        if (manifest != null) {
            return manifest;
        }
        final TreeMap<Long, Path> files = tableFiles(directory);
        // A merge deletes tables only once a manifest exists: if it is still absent, the list misses none.
        final Manifest appeared = readFile(directory);
        return appeared != null ? appeared
            : new Manifest(false, List.copyOf(files.descendingKeySet()), files.isEmpty() ? 1 : files.lastKey() + 1, 0);
    }

    /** Checks that a directory exists. */
    static void checkDirectory(final Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw Files.exists(directory) ? new NotDirectoryException(directory.toString())
                : new NoSuchFileException(directory.toString());
        }
    }

    private static Manifest readFile(final Path directory) throws IOException {
        checkDirectory(directory);
        final Path file = directory.resolve(NAME);
        try {
            final BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (!attributes.isRegularFile()) {
                throw new FileSystemException(file.toString(), null, "not a regular file");
            }
            if (attributes.size() > MAX_BYTES) {
                throw new FileSystemException(
                    file.toString(), null, "expected at most " + MAX_BYTES + " bytes but was " + attributes.size());
            }
            return decode(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
        } catch (final NoSuchFileException e) {
            return null;
        } catch (final MalformedBlockException e) {
            throw new FileSystemException(file.toString(), null, e.getMessage());
        }
    }

    private static Manifest decode(final String text) {
        final Matcher first = FIRST_LINE.matcher(text);
        if (!first.lookingAt()) {
            throw new MalformedBlockException("cut or damaged: expected the first line '" + MAGIC + VERSION + "'");
        }
        if (Integer.parseInt(first.group(1)) != VERSION) {
            throw new MalformedBlockException("expected a manifest of version " + VERSION + " but was " + first.group(1)
                + "; another version of the program wrote it");
        }
        final int end = text.lastIndexOf(CHECKSUM);
        if (end < 0 || !text.substring(end).equals(checksum(text.substring(0, end)))) {
            throw new MalformedBlockException("cut or damaged: the checksum of its last line is absent or wrong");
        }
        final Matcher body = BODY.matcher(text.substring(0, end));
        if (!body.matches()) {
            throw new MalformedBlockException("damaged: unexpected lines");
        }
        final Set<Long> tables = new LinkedHashSet<>();
        final long next = Long.parseLong(body.group(1));
        for (final String line : body.group(3).lines().toList()) {
            final long number = Long.parseLong(line.substring(line.indexOf(' ') + 1));
            if (number >= next || !tables.add(number)) {
                throw new MalformedBlockException("damaged: table " + number + " twice or not below the next number, " + next);
            }
        }
        return new Manifest(true, List.copyOf(tables), next, Long.parseLong(body.group(2)));
    }

    /** Writes the content of the file, and forces it to the device. */
    void write(final PendingFile pending) throws IOException {
        pending.file().writeAll(encode());
        pending.file().force();
    }

    /** Returns the content of the file. */
    ByteBuffer encode() {
        final StringBuilder text = new StringBuilder(MAGIC + VERSION + "\nnext " + nextNumber + "\nsequence "
            + greatestSequence + "\n");
        for (final long table : tables) {
            text.append("table ").append(table).append('\n');
        }
        return ByteBuffer.wrap(text.append(checksum(text.toString())).toString().getBytes(StandardCharsets.US_ASCII));
    }

    private static String checksum(final String text) {
        final CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return String.format(Locale.ROOT, "%s%08x\n", CHECKSUM, crc.getValue());
    }

    /** Returns the table files that a directory has, by number. */
    static TreeMap<Long, Path> tableFiles(final Path directory) throws IOException {
        final TreeMap<Long, Path> tables = new TreeMap<>();
        for (final Path file : files(directory, SUFFIX)) {
            tables.put(numberOf(file), file);
        }
        return tables;
    }

    /** Returns the temporary files of tables that a directory has. */
    static List<Path> temporaryFiles(final Path directory) throws IOException {
        return files(directory, SUFFIX + PendingFile.TEMPORARY_SUFFIX);
    }

    private static List<Path> files(final Path directory, final String suffix) throws IOException {
        checkDirectory(directory);
        final List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (final Path file : files) {
                if (numberOf(file) >= 0 && file.toString().endsWith(suffix)) {
                    found.add(file);
                }
            }
        } catch (final DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    /** Returns the number of the table that a file, or temporary file, is named for; -1 if it is named otherwise. */
    static long numberOf(final Path file) {
        final String name = file.getFileName().toString();
        final Matcher matcher = TABLE_NAME.matcher(name);
        final long number = matcher.matches() ? Long.parseLong(matcher.group(1)) : -1;
        return number >= 0 && name.startsWith(String.format(Locale.ROOT, "%06d.", number)) ? number : -1;
    }

    /** Returns the paths of the tables, the oldest one first. */
    List<Path> files(final Path directory) {
        final List<Path> files = new ArrayList<>();
        tables.forEach(number -> files.add(TableSet.path(directory, number)));
        Collections.reverse(files);
        return files;
    }

    /** Returns the table files of a directory that are not among these tables. */
    List<Path> unlisted(final Path directory) throws IOException {
        final TreeMap<Long, Path> files = tableFiles(directory);
        tables.forEach(files::remove);
        return new ArrayList<>(files.values());
    }
}
