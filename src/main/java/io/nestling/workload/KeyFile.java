/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The keys of a binary file, in its order: for each key its length, four bytes little endian, and its bytes. They are distinct;
 * this is not checked. The keys behind those that are loaded are the absent ones.
 * <h2>Thread safety</h2>
 * Immutable.
 */
public final class KeyFile implements Dataset {
    private final Path path;
    private final KeySet keys;

    private KeyFile(final Path path, final KeySet keys) {
        this.path = path;
        this.keys = keys;
    }

    /** Reads a file; throws if it cannot be read, ends within a key, or has a key above {@link KeySet#MAX_KEY_BYTES}. */
    public static KeyFile read(final Path path) throws DatasetException {
        final KeySet.Builder builder = KeySet.builder();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path))) {
            final byte[] head = new byte[Integer.BYTES];
            for (int read = in.readNBytes(head, 0, head.length); read > 0; read = in.readNBytes(head, 0, head.length)) {
                final int length = head[0] & 0xFF | (head[1] & 0xFF) << 8 | (head[2] & 0xFF) << 16 | (head[3] & 0xFF) << 24;
                if (read == head.length && (length < 0 || length > KeySet.MAX_KEY_BYTES)) {
                    throw new DatasetException(path + ": expected key " + builder.size() + " to have 0 to "
                        + KeySet.MAX_KEY_BYTES + " bytes but was " + Integer.toUnsignedString(length));
                }
                final byte[] key = read == head.length ? in.readNBytes(length) : head;
                if (read < head.length || key.length < length) {
                    throw new DatasetException(path + ": ends within key " + builder.size());
                }
                builder.add(key, 0, length);
            }
        } catch (final DatasetException e) {
            throw e;
        } catch (final IOException e) {
            throw new DatasetException(path + " cannot be read: " + e);
        }
        return new KeyFile(path, builder.build());
    }

    /** Writes the keys of all sets to a file, which is replaced if it exists. */
    public static void write(final Path path, final KeySet... sets) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(path))) {
            for (final KeySet keys : sets) {
                for (int i = 0; i < keys.size(); i++) {
                    final int length = keys.length(i);
                    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
                        out.write(length >>> shift);
                    }
                    out.write(keys.array(i), keys.offset(i), length);
                }
            }
        }
    }

    /** Returns up to {@code most} of the keys behind the first ones. */
    public KeyFile behind(final int count, final int most) {
        return new KeyFile(path, keys.slice(count, (int) Math.min(keys.size(), count + (long) most)));
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public long maxKeys() {
        return keys.size();
    }

    @Override
    public KeySet keys(final int count) throws DatasetException {
        return slice(0, count);
    }

    @Override
    public KeySet absentKeys(final int count, final KeySet present) throws DatasetException {
        return slice(present.size(), count);
    }

    private KeySet slice(final int from, final int count) throws DatasetException {
        if (count > keys.size() - from) {
            throw new DatasetException(
                path + ": expected at least " + (from + (long) count) + " keys but was " + keys.size());
        }
        return keys.slice(from, from + count);
    }
}
