/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

/**
 * Where a run of chunks stands: offset of the first, length of all with their headers, bytes that they hold
 * unpacked.
 */
record ChunkedHandle(long offset, long storedLength, long rawLength) {
}
