/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memtable;

/** The ways in which the writes of a memtable get their sequence numbers. A memtable has one of them. */
enum SequenceForm {
    /** Each write takes the next number. */
    NEXT("writes without a number"),
    /** Each write takes a number of a {@link SequenceReservation}. */
    RESERVED("writes with reserved numbers"),
    /** Each write names its number, which is above all before it. */
    GIVEN("writes with given numbers");

    /** Names the writes of this form. */
    final String text;

    SequenceForm(final String text) {
        this.text = text;
    }
}
