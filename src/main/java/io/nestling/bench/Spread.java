/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

/**
 * What the rounds of one measurement gave.
 *
 * @param median middle value
 * @param min least value
 * @param max greatest value
 */
public record Spread(double median, double min, double max) {
}
