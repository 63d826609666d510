/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.nestling.testing.Effort;
import io.nestling.testing.ReaderFuzzer;
import io.nestling.testing.Seeds;
import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fuzzes data sets that are packed with gzip: members of any header, several of them, cuts, bytes behind the last one and damage,
 * against {@link FuzzedGzip#unpack}. A file that is not whole must be a {@link DatasetException}, never the lines before the
 * damage.
 * <p>
 * Seen to fail with these faults: {@link java.util.zip.GZIPInputStream} instead of a reader of its own, which takes damage behind
 * the first member for the end; a length that is not compared.
 */
@Tag("robustness")
class GzipFuzzTest implements ReaderFuzzer.Target {
    private static final String NAME = "gzip";
    private static final int MAX_KEY_BYTES = 65_535;

    @TempDir
    Path directory;

    @Test
    void shouldReplayInputs() throws Exception {
        new ReaderFuzzer(NAME, this).replay();
    }

    @Test
    void shouldFindNothing() throws Exception {
        new ReaderFuzzer(NAME, this).search(
            Effort.seconds(0, 20, 300), FuzzedGzip.seeds(Seeds.random(NAME)), FuzzedGzip::mutate);
    }

    /** Keys are counted with room for 65,536 of them. */
    @Override
    public long allocationLimit(final byte[] input) {
        return (4L << 20) + 64L * (input.length + FuzzedGzip.unpack(input).content().length);
    }

    private Dataset dataset() throws DatasetException {
        return Dataset.of(directory.resolve("text.txt.gz").toString());
    }

    @Override
    public String read(final byte[] input) throws IOException {
        Files.write(directory.resolve("text.txt.gz"), input);
        try {
            return "keys " + (Long.SIZE - Long.numberOfLeadingZeros(dataset().maxKeys()));
        } catch (final UncheckedIOException e) {
            assertEquals(DatasetException.class, e.getCause().getClass());
            return "!" + String.valueOf(e.getCause().getMessage()).replaceAll("[0-9a-f]{1,}", "");
        }
    }

    @Override
    public void compare(final byte[] input) throws IOException {
        final FuzzedGzip.Content content = FuzzedGzip.unpack(input);
        final Set<ByteBuffer> lines = new HashSet<>();
        boolean fits = true;
        for (final byte[] line : FuzzedText.lines(content.content())) {
            fits &= line.length <= MAX_KEY_BYTES;
            lines.add(ByteBuffer.wrap(line));
        }
        if (content.state() == FuzzedGzip.State.DAMAGED || !fits) {
            assertThrows(DatasetException.class, () -> dataset().keys(0), () -> "taken for whole after "
                + content.content().length + " bytes");
        } else if (content.state() == FuzzedGzip.State.WHOLE) {
            assertEquals(lines.size(), dataset().maxKeys());
            assertEquals(lines.size(), dataset().keys(lines.size()).size());
        }
    }
}
