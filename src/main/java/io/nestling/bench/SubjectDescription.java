/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/**
 * What a report says of a subject.
 *
 * @param name lower case with underscores
 * @param peer true if it is not of this library
 * @param configuration how it is set up, in a line for people
 */
public record SubjectDescription(String name, boolean peer, String configuration) {
}
