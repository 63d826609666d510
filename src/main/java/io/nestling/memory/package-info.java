/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Off-heap memory: slabs on huge pages, blocks and records in them, the budget that they are charged to and
 * the epochs that say when replaced blocks may be used again. Only {@link io.nestling.memory.Slab} knows how
 * memory is read and written.
 */
package io.nestling.memory;
