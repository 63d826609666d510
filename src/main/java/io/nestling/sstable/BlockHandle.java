/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/** Where a block stands: offset in the file and length with its header. */
record BlockHandle(long offset, int length) {
}
