/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The interfaces that every index implements ({@link io.nestling.index.PointIndex}, {@link io.nestling.index.OrderedIndex}),
 * cursors over entries and their combinators, and the sink that a flush writes to.
 */
package io.nestling.index;
