/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule.scenario;

import io.nestling.schedule.scenario.Event.Move;
import io.nestling.schedule.scenario.Operation.What;
import io.nestling.testing.RegisterHistory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges what was read from an index: each key is a linearizable register; a scan misses no key that was there all the time,
 * keeps the order, and shows only payloads that the key had.
 */
final class IndexOracle {
    private static final long NONE = RegisterHistory.ABSENT;

    private final Keys keys;
    private final long[] initial;
    private final List<Event> events;
    private final boolean oneMoment;
    private final Map<Integer, List<Event>> byKey = new HashMap<>();
    private final Map<Integer, List<Event>> writesByKey = new HashMap<>();

    IndexOracle(final Keys keys, final long[] initial, final List<Event> events, final boolean oneMoment) {
        this.keys = keys;
        this.initial = initial;
        this.events = events;
        this.oneMoment = oneMoment && hasOneWriter();
        for (final Event event : events) {
            if (event.moves() == null) {
                add(event);
            } else {
                for (final Move move : event.moves()) {
                    if (move.number() >= 0) { // what a cursor shows was the key's payload at some moment since it was positioned
                        add(Event.get(event.fiber(), move.number(), move.payload(), event.moves().get(0).from(), move.to()));
                    }
                }
            }
        }
    }

    private void add(final Event event) {
        byKey.computeIfAbsent(event.key(), key -> new ArrayList<>()).add(event);
    }

    private boolean hasOneWriter() {
        return events.stream().filter(Event::changes).mapToInt(Event::fiber).distinct().count() <= 1;
    }

    /** Returns what is wrong, or null. */
    String check() {
        for (final var entry : byKey.entrySet()) {
            if (!isLinearizable(entry.getValue(), initial[entry.getKey()])) {
                return "NOT LINEARIZABLE: key " + entry.getKey() + ", at first "
                    + Long.toHexString(initial[entry.getKey()]) + ": " + entry.getValue();
            }
        }
        for (final Event event : events) {
            final String wrong = event.moves() == null ? null : scan(event);
            if (wrong != null) {
                return wrong + "\n   in " + event;
            }
        }
        return null;
    }

    private static boolean isLinearizable(final List<Event> events, final long initial) {
        if (events.stream().noneMatch(Event::changes) && events.stream().allMatch(event -> readsAs(event, initial))) {
            return true;
        }
        if (events.size() > RegisterHistory.MAX_OPERATIONS) {
            return true; // too many for the search; no scenario is made of so many on purpose
        }
        final RegisterHistory history = new RegisterHistory();
        events.forEach(event -> history.add(operation(event)));
        return history.isLinearizable(initial);
    }

    private static boolean readsAs(final Event event, final long payload) {
        return event.what() == What.REPLACE ? event.expected() != payload : event.result() == payload;
    }

    private static RegisterHistory.Operation operation(final Event event) {
        final RegisterHistory.Kind kind = !event.changes() ? RegisterHistory.Kind.GET
            : event.what() == What.REMOVE ? RegisterHistory.Kind.REMOVE : RegisterHistory.Kind.PUT;
        final long result = event.what() == What.REPLACE ? event.expected() : event.result();
        final long argument = event.what() == What.REPLACE && !event.changes() ? RegisterHistory.OTHER : event.argument();
        return new RegisterHistory.Operation(kind, argument, result, event.from(), event.to());
    }

    // ---- scans ----

    private List<Event> writes(final int key) {
        return writesByKey.computeIfAbsent(key, number -> {
            final List<Event> writes = new ArrayList<>();
            writes.add(new Event(What.PUT, -1, key, initial[key], 0, NONE, -1, -1, null));
            byKey.getOrDefault(key, List.of()).stream().filter(Event::changes).forEach(writes::add);
            return writes;
        });
    }

    /** Returns whether a payload may have been the key's at some time. */
    private boolean isPossible(final int key, final long payload, final long from, final long to) {
        final List<Event> writes = writes(key);
        return writes.stream().anyMatch(write -> write.argument() == payload && write.from() <= to
            && writes.stream().noneMatch(later -> later.from() > write.to() && later.to() < from));
    }

    /** Returns whether a key was there for sure all the time. */
    private boolean isThereAllTheTime(final int key, final long from, final long to) {
        final List<Event> writes = writes(key);
        return writes.stream().anyMatch(write -> write.argument() != NONE && seenBy(write) <= from
            && writes.stream().allMatch(
                other -> other.argument() != NONE || other.to() < write.from() || other.from() > to));
    }

    /** Returns when a write had happened for sure: it had returned, or somebody had read what it wrote. */
    private long seenBy(final Event write) {
        long time = write.to();
        if (write.argument() != NONE && write.to() >= 0) {
            for (final Event event : byKey.get(write.key())) {
                if (event.what() == What.GET && event.result() == write.argument()) {
                    time = Math.min(time, event.to());
                }
            }
        }
        return time;
    }

    private String scan(final Event event) {
        int at = event.key() < 0 ? -1 : keys.rank(event.key());
        boolean first = true;
        final long positioned = event.moves().get(0).from();
        for (final Move move : event.moves()) {
            if (move.key() != null) {
                if (move.number() < 0) {
                    return "PHANTOM: a key that nobody put: " + Arrays.toString(move.key());
                }
                final int step = keys.rank(move.number()) - at;
                if (at >= 0 && (move.forward() ? first ? step < 0 : step <= 0 : step >= 0)) {
                    return "ORDER: " + move;
                }
                if (!isPossible(move.number(), move.payload(), positioned, move.to())) {
                    return "PAYLOAD: " + move;
                }
            }
            final int from = firstPassed(at, first, move);
            final int end = endOfPassed(at, move);
            for (int i = from; i < end; i++) {
                if (isThereAllTheTime(keys.atRank(i), positioned, move.to())) {
                    return "MISSED: key " + keys.atRank(i) + " at " + move;
                }
            }
            if (first && oneMoment && !isOfOneMoment(from, end, move)) {
                return "NOT AT ONE MOMENT: " + move;
            }
            first = false;
            at = move.key() == null ? -1 : keys.rank(move.number());
        }
        return null;
    }

    private int firstPassed(final int at, final boolean first, final Move move) {
        if (move.forward()) {
            return at < 0 ? 0 : first ? at : at + 1;
        }
        return move.key() == null ? 0 : keys.rank(move.number()) + 1;
    }

    private int endOfPassed(final int at, final Move move) {
        if (move.forward()) {
            return move.key() == null ? keys.size() : keys.rank(move.number());
        }
        return at < 0 ? keys.size() : at;
    }

    /** With one writer: returns whether a position was right in one of the states that there may have been. */
    private boolean isOfOneMoment(final int from, final int end, final Move move) {
        final List<Event> writes = events.stream().filter(Event::changes).toList();
        final long[] state = initial.clone();
        for (int i = 0; i <= writes.size(); i++) {
            if (i > 0) {
                final Event write = writes.get(i - 1);
                if (write.from() > move.to()) {
                    return false;
                }
                state[write.key()] = write.argument();
            }
            final boolean mayBeNow = i == writes.size() || seenBy(writes.get(i)) >= move.from();
            if (mayBeNow && (move.key() == null || state[move.number()] != NONE) && isEmpty(state, from, end)) {
                return true;
            }
        }
        return false;
    }

    private boolean isEmpty(final long[] state, final int from, final int end) {
        for (int i = from; i < end; i++) {
            if (state[keys.atRank(i)] != NONE) {
                return false;
            }
        }
        return true;
    }
}
