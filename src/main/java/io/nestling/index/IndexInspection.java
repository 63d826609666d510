/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.index;

import java.io.IOException;
import java.util.Map;

/**
 * Describes the inside of an index for people: a text of its whole structure, and figures about it.
 * <h2>Thread safety</h2>
 * No thread may write during a call.
 */
public interface IndexInspection {
    /**
     * Writes the structure as text, one line for each node or bucket.
     *
     * @param out receives the text
     * @throws IOException if {@code out} cannot take it
     */
    void dump(Appendable out) throws IOException;

    /**
     * Returns figures about the structure, such as nodes by type, bytes by type, and depth.
     *
     * @return figures by name, in the order in which to show them; a value is a number, a boolean, a
     *     string, a list of these, or another such map
     */
    Map<String, Object> figures();
}
