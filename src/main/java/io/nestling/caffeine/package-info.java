/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** A cache of table blocks by Caffeine. Needs {@code com.github.ben-manes.caffeine:caffeine}, an optional library. */
package io.nestling.caffeine;
