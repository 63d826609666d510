/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Off-heap memory from the inside: slabs on huge pages, blocks and records in them, and the epochs after which replaced blocks
 * are reused. Only {@link io.nestling.offheap.Slab} reads and writes memory. This is not for users of the library.
 */
package io.nestling.offheap;
