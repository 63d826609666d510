/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.memory;

/**
 * Where memtables take their memory from. Nestling alone makes sources; without one, a memtable takes memory from the system.
 */
public interface MemorySource {
}
