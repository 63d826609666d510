/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.workload;

import java.util.Arrays;

/**
 * Keys like user names of a forum, 3 to 20 characters: one or two of first names, words and invented syllables, with or
 * without a separator, in lower case or with capitals, often followed by a year or number. Words at the beginning of a list
 * occur more often. They replace the Reddit user names of the Cuckoo Trie paper.
 */
final class UserNameKeys implements KeyGenerator {
    private static final int MIN_BYTES = 3;
    private static final int MAX_BYTES = 20;
    private static final long SEED = 0x6E61_6D65;
    private static final int CASE_DIFFERENCE = 'a' - 'A';
    private static final int DECIMAL = 10;
    /** Shares of names in sixteenths; each shape ends where the next one begins. */
    private static final int SIXTEENTHS = 16;
    private static final int LAST_TWO_WORDS = 2;
    private static final int LAST_FIRST_NAME = 4;
    private static final int LAST_WORDS = 5;
    private static final int LAST_INVENTED = 11;
    private static final int WITH_CAPITALS = 6;
    private static final int WITH_SEPARATOR = 4;
    private static final int OLDEST_YEAR = 1960;
    private static final int YEARS = 55;

    private static final byte[][] FIRST_NAMES = words("""
        alex mike chris john dan matt sam david nick james jake ben tom max josh ryan sarah adam kevin andrew anna emma kate
        laura lisa jess emily amy maria julia mark paul peter steve tim rob joe eric brian jason scott greg jeff tony luke
        leo oscar felix hugo ivan igor omar ali ahmed yuki kenji mei lin chen wei raj priya anil sunil carlos juan pedro
        diego luis marco luca paolo pierre jean claire marie lena nina eva olga katya dima sasha vlad bjorn lars erik nils
        sven ingrid zoe chloe lucy grace rose ella mia ruby ivy hannah rachel megan heather kyle derek brett chad trevor""");
    private static final byte[][] ADJECTIVES = words("""
        the dark red mr big little super cool crazy angry happy lazy sneaky silent real old new black blue green white
        golden silver iron cosmic electric atomic lost random drunk sleepy hungry fuzzy tiny giant mad evil holy royal wild
        frozen burning broken hidden secret magic lucky sad salty spicy sweet bitter cold hot fast slow deep high low royal
        ancient modern naked rusty dusty smooth rough quiet loud just not only yet more miss dr captain lord king queen sir
        agent uncle aunt baby papa mama urban rural solar lunar mellow tough gentle brave shy wise dumb smart odd even""");
    private static final byte[][] NOUNS = words("""
        cat dog wolf bear fox tiger panda dragon ninja pirate wizard knight king queen gamer potato cheese pizza taco bacon
        beard ghost shadow storm rain snow fire ice stone rock metal moon star sun sky sea river lake forest tree leaf
        flower rose cloud wind thunder light night day dream soul heart mind brain head hand eye face bone blood skull
        killer hunter rider runner walker jumper master lord boss chief guy dude man girl boy lady kid baby monkey ape frog
        toad snake lizard turtle shark whale fish bird eagle hawk raven crow duck goose chicken cow pig goat sheep horse
        unicorn robot cyborg alien zombie vampire demon angel god devil saint monk priest doctor nurse pilot driver captain
        sailor soldier sniper tank gun sword axe hammer shield arrow bow bullet bomb rocket engine wheel car truck train
        bike plane boat ship house castle tower bridge road street city town village island mountain valley desert coffee
        tea beer wine whiskey vodka milk sugar salt pepper butter bread cake cookie pie apple orange banana lemon melon
        pickle onion garlic carrot bean nut spoon fork knife plate cup bottle glass box bag shoe sock hat shirt coat""");
    private static final byte[][] SYLLABLES = words("""
        ka ra ma na ta sa la ri mi ni ki li ko ro mo no to so lo ru mu nu ku su tu za xi vo ve va ze zo be ba bo da de do
        fa fe fi ga ge go ha he ho ja je jo pa pe po wa we wi ya yo yu che sha tha kra dra gra bra tri kri dro vex nyx lyn
        ron tar kin dor mar zan bel fen gor hal jin kel lor mor nar pol qui ras sel tor ul vin wen xan yar zed an el is or""");

    private final Randomness randomness = new Randomness(SEED);
    private byte[] target;
    private int end;

    private static byte[][] words(final String text) {
        return Arrays.stream(text.strip().split("\\s+")).map(KeyBytes::ascii).toArray(byte[][]::new);
    }

    @Override
    public int maxKeyBytes() {
        return MAX_BYTES;
    }

    @Override
    public int generate(final long number, final byte[] destination) {
        randomness.restart(SEED, number);
        target = destination;
        end = 0;
        final boolean capitals = randomness.below(SIXTEENTHS) < WITH_CAPITALS;
        final int separator = randomness.below(SIXTEENTHS);
        final int shape = randomness.below(SIXTEENTHS);
        if (shape < LAST_TWO_WORDS) {
            append(popular(ADJECTIVES), capitals);
            separate(separator);
            append(popular(NOUNS), capitals);
        } else if (shape < LAST_FIRST_NAME) {
            append(popular(FIRST_NAMES), capitals);
            if (randomness.below(2) == 0) {
                separate(separator);
                append(popular(NOUNS), capitals);
            }
        } else if (shape < LAST_WORDS) {
            append(popular(NOUNS), capitals);
            separate(separator);
            append(popular(NOUNS), capitals);
        } else {
            invent(capitals);
            if (shape >= LAST_INVENTED) {
                separate(separator);
                append(popular((number & 1) == 0 ? NOUNS : FIRST_NAMES), capitals);
            }
        }
        appendNumber(shape);
        while (end < MIN_BYTES) {
            appendDigits(randomness.below(DECIMAL), 1);
        }
        return end;
    }

    private byte[] popular(final byte[][] words) {
        final double fraction = randomness.fraction();
        return words[(int) (words.length * fraction * fraction)];
    }

    private void invent(final boolean capitals) {
        append(SYLLABLES[randomness.below(SYLLABLES.length)], capitals);
        for (int more = 1 + randomness.below(3); more > 0; more--) {
            append(SYLLABLES[randomness.below(SYLLABLES.length)], false);
        }
    }

    private void append(final byte[] word, final boolean capital) {
        for (int i = 0; i < word.length && end < MAX_BYTES; i++) {
            target[end++] = (byte) (capital && i == 0 ? word[i] - CASE_DIFFERENCE : word[i]);
        }
    }

    private void separate(final int choice) {
        if (choice < WITH_SEPARATOR && end < MAX_BYTES) {
            target[end++] = (byte) (choice == 0 ? '-' : '_');
        }
    }

    private void appendNumber(final int shape) {
        // Names of plain words are usually taken, so more of them have a number.
        final int kind = randomness.below(shape < LAST_WORDS ? SIXTEENTHS : 2 * SIXTEENTHS);
        switch (kind) {
            case 0, 1, 2 -> appendDigits(OLDEST_YEAR + randomness.below(YEARS), 4);
            case 3, 4, 5 -> appendDigits(randomness.below(100), 2);
            case 6, 7 -> appendDigits(randomness.below(1000), 3);
            case 8 -> appendDigits(randomness.below(DECIMAL), 1);
            case 9, 10, 11 -> appendDigits(randomness.below(10_000), 4);
            default -> {
            }
        }
    }

    private void appendDigits(final int value, final int digits) {
        end = KeyBytes.putDigits(target, end, value, Math.min(digits, MAX_BYTES - end));
    }
}
