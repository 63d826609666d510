/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.KeyFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A program that serves a map by the line protocol as {@code bench --serve} does, or makes one thing wrong. */
final class PeerProgram {
    private PeerProgram() {
    }

    /** Takes what is wrong, the file of keys and their number. */
    public static void main(final String[] args) throws IOException {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final int keys = Integer.parseInt(args[2]);
        if (args[0].equals("serves")) {
            SubjectServer.serve(new FakeFactory("map"), KeyFile.read(Path.of(args[1])), keys, 0, in, System.out);
            return;
        }
        System.out.println("READY");
        for (String line = in.readLine(); line != null && !line.startsWith("q"); line = in.readLine()) {
            if (line.startsWith("get") || line.startsWith("miss")) {
                misbehave(args[0]);
            } else {
                System.out.println(line.startsWith("load") ? keys + " 0.000001 0.000001" : "BYTES 1.5 records 2 more 3");
            }
        }
    }

    private static void misbehave(final String how) {
        switch (how) {
            case "dies" -> {
                System.err.println("out of luck");
                System.exit(7);
            }
            case "hangs" -> LockSupport.parkNanos(60_000_000_000L);
            case "babbles" -> System.out.println("as fast as\u0007 light");
            case "boasts" -> System.out.println("1000000 0.000001 0.000001");
            case "chats" -> System.out.println("0 0 0\n0 0 0");
            default -> System.out.println("ERROR get: expected 1 but was 2");
        }
    }
}
