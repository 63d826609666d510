/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Skip list for many writers and lock-free readers, in off-heap memory. {@link io.nestling.skiplist.SkipList} is the index; its
 * cursor fetches nodes and records ahead of the walk.
 */
package io.nestling.skiplist;
