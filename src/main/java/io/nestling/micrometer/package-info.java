/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** The off-heap memory of memtables as Micrometer meters. Needs {@code io.micrometer:micrometer-core}, an optional library. */
package io.nestling.micrometer;
