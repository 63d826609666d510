/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.nestling.bridge.NativeBridges;
import io.nestling.index.EntryCursor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a memtable tells the recorder of the JDK. */
class MemtableEventsTest {
    @TempDir
    private Path directory;

    @Test
    void shouldRecordFreezeAndFlush() throws IOException {
        final List<RecordedEvent> events = record(memtable -> {
            memtable.put(new byte[] {1}, new byte[10]);
            memtable.delete(new byte[] {2});
            memtable.deleteRange(new byte[] {3}, new byte[] {4});
            try (EntryCursor cursor = memtable.cursor()) {
                assertTrue(cursor.first());
                assertFalse(cursor.next());
            }
            memtable.freeze();
            memtable.freeze();
            assertThrows(UncheckedIOException.class, () -> memtable.flush(new CollectingSink(1)));
            memtable.flush(new CollectingSink());
        });
        assertEquals(
            List.of("io.nestling.Flush", "io.nestling.Flush", "io.nestling.Freeze"),
            events.stream().map(event -> event.getEventType().getName()).sorted().collect(
            Collectors.toList()));
        final RecordedEvent freeze = find(events, "io.nestling.Freeze", 0);
        assertEquals("strict", freeze.getString("index"));
        assertEquals(2, freeze.getLong("entries"));
        assertEquals(3, freeze.getLong("lastSequence"));
        assertEquals(1, freeze.getLong("hiddenEntriesPassed"));
        assertEquals(1, freeze.getLong("entriesShown"));
        assertEquals(NativeBridges.description(), freeze.getString("bridge"));
        assertEquals(1 << 20, freeze.getLong("capacityBytes"));
        assertTrue(freeze.getLong("reservedBytes") > 0);
        final RecordedEvent failed = find(events, "io.nestling.Flush", 0);
        assertFalse(failed.getBoolean("complete"));
        final RecordedEvent flush = find(events, "io.nestling.Flush", 1);
        assertTrue(flush.getBoolean("complete"));
        assertEquals("strict", flush.getString("index"));
        assertEquals(2, flush.getLong("entries"));
        assertEquals(12, flush.getLong("bytes"));
        assertEquals(1, flush.getLong("tombstones"));
        assertEquals(1, flush.getLong("rangeTombstones"));
        assertEquals(3, flush.getLong("visibleSequence"));
        assertTrue(flush.getDuration().toNanos() > 0);
    }

    private static RecordedEvent find(final List<RecordedEvent> events, final String name, final int number) {
        return events.stream().filter(event -> event.getEventType().getName().equals(name))
            .collect(Collectors.toList()).get(number);
    }

    private List<RecordedEvent> record(
        final java.util.function.Consumer<Memtable> action) throws IOException {
        final Path file = directory.resolve("memtable.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.nestling.Freeze").withoutThreshold();
            recording.enable("io.nestling.Flush").withoutThreshold();
            recording.start();
            try (Memtable memtable = Memtable.open(
                MemtableOptions.builder().index(StrictIndex.factory()).shards(1)
                .capacityBytes(1 << 20).build())) {
                action.accept(memtable);
            }
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().startsWith("io.nestling."))
            .sorted((a, b) -> a.getStartTime().compareTo(b.getStartTime())).collect(Collectors.toList());
    }
}
