/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;

class ProgressTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private void run(final boolean terminal, final long total) throws InterruptedException {
        final Console console = new Console(OutputStream.nullOutputStream(), err, terminal);
        try (Progress progress = new Progress(console, total)) {
            progress.update(1, () -> "at once");
            Thread.sleep(1_050);
            progress.update(30, () -> "after a second");
            progress.update(31, () -> "a moment later");
        }
    }

    @Test
    void shouldShowALineAfterASecondAndRemoveIt() throws InterruptedException {
        run(true, 60);
        assertEquals("\r\u001b[K 50 %  after a second\r\u001b[K", err.toString());
    }

    @Test
    void shouldShowNoShareOfAnUnknownTotal() throws InterruptedException {
        run(true, 0);
        assertEquals("\r\u001b[Kafter a second\r\u001b[K", err.toString());
    }

    @Test
    void shouldShowNothingAwayFromATerminal() throws InterruptedException {
        run(false, 60);
        assertTrue(err.toString().isEmpty());
    }
}
