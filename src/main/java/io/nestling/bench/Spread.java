/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/**
 * The spread of the rounds of one measurement.
 *
 * @param median median
 * @param min least value
 * @param max greatest value
 */
public record Spread(double median, double min, double max) {
}
