/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/** The location of a block: its offset in the file and its length, header included. */
record BlockHandle(long offset, int length) {
}
