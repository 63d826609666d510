/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.testing.Effort;
import io.nestling.testing.ReaderFuzzer;
import io.nestling.testing.Seeds;
import io.nestling.workload.Dataset;
import io.nestling.workload.DatasetException;
import io.nestling.workload.DatasetFormat;
import io.nestling.workload.KeySet;

import java.io.ByteArrayInputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fuzzes data sets of text: keys are the different ones of the lines, and absent keys are others.
 * <p>
 * Seen to fail with this fault: equal keys are not left out.
 */
@Tag("robustness")
class TextDatasetFuzzTest implements ReaderFuzzer.Target {
    private static final String NAME = "text-dataset";

    @Test
    void shouldReplayInputs() throws Exception {
        new ReaderFuzzer(NAME, this).replay();
    }

    @Test
    void shouldFindNothing() throws Exception {
        new ReaderFuzzer(NAME, this).search(
            Effort.seconds(0, 20, 300), FuzzedText.seeds(Seeds.random(NAME)), FuzzedText::mutate);
    }

    /** Keys are counted with room for 65,536 of them. */
    @Override
    public long allocationLimit(final byte[] input) {
        return (4L << 20) + 64L * input.length;
    }

    private static Dataset dataset(final byte[] input) {
        return Dataset.of("text", () -> new ByteArrayInputStream(input),
            input.length % 2 == 0 ? DatasetFormat.LINES : DatasetFormat.TSV);
    }

    @Override
    public String read(final byte[] input) throws DatasetException {
        try {
            final int count = Math.toIntExact(dataset(input).maxKeys());
            final KeySet keys = dataset(input).keys(count);
            dataset(input).absentKeys(Math.min(count, 10), keys);
            return "keys " + (Integer.SIZE - Integer.numberOfLeadingZeros(count));
        } catch (final UncheckedIOException e) {
            return ReaderFuzzer.site(e);
        }
    }

    @Override
    public void compare(final byte[] input) throws DatasetException {
        final boolean tsv = input.length % 2 != 0;
        final Set<ByteBuffer> expected = new HashSet<>();
        boolean fits = true;
        for (final byte[] line : FuzzedText.lines(input)) {
            int length = line.length;
            for (int i = 0; tsv && i < length; i++) {
                length = line[i] == '\t' ? i : length;
            }
            fits &= length <= KeySet.MAX_KEY_BYTES;
            expected.add(ByteBuffer.wrap(Arrays.copyOf(line, length)));
        }
        final Dataset dataset = dataset(input);
        if (!fits) {
            assertSame(DatasetException.class,
                assertThrows(UncheckedIOException.class, dataset::maxKeys).getCause().getClass());
            assertThrows(DatasetException.class, () -> dataset.keys(0));
            return;
        }
        assertEquals(expected.size(), dataset.maxKeys());
        assertThrows(DatasetException.class, () -> dataset.keys(expected.size() + 1));
        final KeySet keys = dataset.keys(expected.size());
        final Set<ByteBuffer> found = new HashSet<>();
        for (int i = 0; i < keys.size(); i++) {
            found.add(ByteBuffer.wrap(keys.key(i)));
        }
        assertEquals(expected, found);
        final KeySet absent = dataset.absentKeys(5, keys);
        for (int i = 0; i < absent.size(); i++) {
            assertTrue(!expected.contains(ByteBuffer.wrap(absent.key(i))), "a key that is present");
        }
    }
}
