/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** The index that a shard begins with: a sorted array, which costs almost nothing for a few keys. */
package io.nestling.index.small;
