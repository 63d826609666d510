/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Off-heap memory: slabs on huge pages, blocks and records in them, the budget that they are charged to and
 * the epochs after which replaced blocks are reused. Only {@link io.nestling.offheap.Slab} reads and writes memory.
 */
package io.nestling.memory;
