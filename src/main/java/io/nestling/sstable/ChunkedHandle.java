/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/**
 * The location of consecutive chunks: the offset of the first, the length of all with their headers, and their length unpacked.
 */
record ChunkedHandle(long offset, long storedLength, long rawLength) {
}
