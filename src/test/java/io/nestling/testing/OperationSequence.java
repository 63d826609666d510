/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A list of operations on an index over the keys of a corpus. Each operation says by itself what it does, so
 * that any part of the list is a valid list too: {@link #check} uses that to shrink a list that makes a test
 * fail.
 */
public final class OperationSequence {
    private static final int LISTED_OPERATIONS = 200;

    private final KeyCorpus corpus;
    private final long seed;
    private final List<Operation> operations;

    /**
     * Makes a list of given operations.
     *
     * @param corpus keys that the operations name by number
     * @param seed what they were drawn from, for messages
     * @param operations the operations
     */
    public OperationSequence(final KeyCorpus corpus, final long seed, final List<Operation> operations) {
        this.corpus = corpus;
        this.seed = seed;
        this.operations = List.copyOf(operations);
    }

    /** What an operation does. */
    public enum Kind {
        /** Put the key with a payload of its own. */
        PUT,
        /** Remove the key or a neighbour of it. */
        REMOVE,
        /** Look the key or a neighbour of it up. */
        GET,
        /** Look up a batch of keys around the key. */
        GET_ALL,
        /** Walk forward from the first key. */
        SCAN_FORWARD,
        /** Walk back from the last key. */
        SCAN_REVERSE,
        /** Seek the key or a neighbour of it and wander from there. */
        SEEK,
        /** Seek below the key or a neighbour of it and wander from there. */
        SEEK_LOWER_THAN,
        /** Step to the next entry, wherever the cursor stood before the last writes. */
        NEXT,
        /** Step to the previous entry, wherever the cursor stood before the last writes. */
        PREVIOUS
    }

    /**
     * One operation.
     *
     * @param kind what it does
     * @param key number of its key in the corpus
     * @param neighbour variant of the key, see {@link KeyCorpus#neighbour}
     * @param argument differs between all operations of a sequence: makes payloads and seeds walks
     */
    public record Operation(Kind kind, int key, int neighbour, int argument) {
        @Override
        public String toString() {
            return kind + " key " + key + (neighbour == 0 ? "" : " variant " + neighbour) + " argument "
                + argument;
        }
    }

    /**
     * Draws a list: puts and updates most of all, so that the index fills, then removes and reads.
     *
     * @param corpus the keys
     * @param seed seed of the choice
     * @param count number of operations
     * @return a new list
     */
    public static OperationSequence random(final KeyCorpus corpus, final long seed, final int count) {
        final Random random = new Random(seed);
        final int active = Math.min(corpus.size(), Math.max(2, random.nextInt(count + 1)));
        final int start = random.nextInt(corpus.size());
        // Neighbours in the order of insertion, or keys from all over the corpus.
        final int stride = random.nextBoolean() ? 1 : Math.max(1, corpus.size() / active);
        final int putShare = 30 + random.nextInt(40);
        final List<Operation> operations = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            final int key = (int) ((start + (long) random.nextInt(active) * stride) % corpus.size());
            final Kind kind = kind(random, putShare);
            final boolean exact = kind == Kind.PUT || random.nextInt(3) > 0;
            operations.add(new Operation(kind, key, exact ? 0 : random.nextInt(KeyCorpus.NEIGHBOURS), i));
        }
        return new OperationSequence(corpus, seed, operations);
    }

    private static Kind kind(final Random random, final int putShare) {
        final int draw = random.nextInt(100);
        if (draw < putShare) {
            return Kind.PUT;
        }
        final Kind[] others = Kind.values();
        return draw < putShare + 18 ? Kind.REMOVE : others[2 + random.nextInt(others.length - 2)];
    }

    /**
     * Runs a body on this list. If it fails, finds a shorter list that fails too, by leaving out halves,
     * quarters and so on, prints it and throws.
     *
     * @param body runs a list from an empty index and throws if something is wrong
     * @throws AssertionError that names the seed and the operations of the shortest list found
     */
    public void check(final Consumer<OperationSequence> body) {
        final Throwable failure = run(body);
        if (failure == null) {
            return;
        }
        final OperationSequence minimal = shrink(body);
        final Throwable cause = minimal.run(body);
        final String text = "seed " + seed + ", " + corpus + ": " + operations.size()
            + " operations fail, and so do "
            + minimal.operations.size() + ":\n" + minimal.listing() + (cause == null ? failure : cause);
        System.out.println(text);
        throw new AssertionError(text, cause == null ? failure : cause);
    }

    private Throwable run(final Consumer<OperationSequence> body) {
        try {
            body.accept(this);
            return null;
        } catch (final RuntimeException | AssertionError | StackOverflowError e) {
            return e;
        }
    }

    private OperationSequence shrink(final Consumer<OperationSequence> body) {
        return with(Shrinker.shrink(operations, part -> with(part).run(body) != null));
    }

    private OperationSequence with(final List<Operation> part) {
        return new OperationSequence(corpus, seed, part);
    }

    /**
     * The operations.
     *
     * @return an unmodifiable list
     */
    public List<Operation> operations() {
        return operations;
    }

    /**
     * The keys that the operations name.
     *
     * @return the corpus
     */
    public KeyCorpus corpus() {
        return corpus;
    }

    /**
     * The key of an operation.
     *
     * @param operation one of this list
     * @return the corpus key or a neighbour of it
     */
    public byte[] key(final Operation operation) {
        final byte[] key = corpus.key(operation.key());
        return operation.neighbour() == 0 ? key : KeyCorpus.neighbour(key, operation.neighbour());
    }

    /**
     * The list for messages, one operation a line.
     *
     * @return text, cut after some hundred lines
     */
    public String listing() {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < operations.size() && i < LISTED_OPERATIONS; i++) {
            final Operation operation = operations.get(i);
            text.append("  ").append(operation).append(' ').append(KeyCorpus.text(key(operation)))
                .append('\n');
        }
        if (operations.size() > LISTED_OPERATIONS) {
            text.append("  and ").append(operations.size() - LISTED_OPERATIONS).append(" more\n");
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return operations.size() + " operations over " + corpus + ", seed " + seed;
    }
}
