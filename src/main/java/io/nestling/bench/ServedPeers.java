/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import io.nestling.workload.DatasetException;
import io.nestling.workload.KeyFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The peers of a run that are programs, and the file with their keys.
 * <h2>Thread safety</h2>
 * One thread.
 */
final class ServedPeers implements AutoCloseable {
    private final List<ServedPeer> peers;
    private Path file;
    private int count;

    /** Creates peers that are not started, and whose failures are reported. */
    ServedPeers(final BenchmarkPlan plan, final Consumer<String> failures) {
        this.peers = plan.peers().stream().map(peer -> new ServedPeer(peer, plan.cpuTime(), failures)).toList();
    }

    /** Writes the keys to load, and behind them absent ones, to a file. */
    void use(final KeyMaterial material) throws DatasetException {
        if (peers.isEmpty()) {
            return;
        }
        try {
            if (file == null) {
                file = Files.createTempFile("nestling-bench", ".keys");
            }
            KeyFile.write(file, material.keys(), material.absent(SubjectServer.MAX_OTHER_KEYS));
            count = material.count();
        } catch (final DatasetException e) {
            throw e;
        } catch (final IOException e) {
            throw new BenchmarkException("the keys of peers cannot be written: " + e, e);
        }
    }

    /** Returns all peers, also those that have failed. */
    List<ServedPeer> all() {
        return peers;
    }

    /** Returns the loads of all peers, which are told whether they count. */
    List<Consumer<Boolean>> loads() {
        peers.forEach(ServedPeer::begin);
        return peers.stream().map(peer -> (Consumer<Boolean>) counted -> peer.load(file, count, counted)).toList();
    }

    /** Returns the measurements of those that have one. */
    List<Measurement> measurements() {
        return peers.stream().flatMap(peer -> peer.measurement().stream()).toList();
    }

    @Override
    public void close() {
        peers.forEach(ServedPeer::close);
        if (file != null) {
            try {
                Files.deleteIfExists(file);
            } catch (final IOException e) {
                throw new BenchmarkException("the keys of peers cannot be deleted: " + e, e);
            }
        }
    }
}
