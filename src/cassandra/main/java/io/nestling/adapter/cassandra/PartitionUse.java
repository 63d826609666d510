/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

/** The purpose for which a partition is read. */
enum PartitionUse {
    /** A read, whose results may outlive the memtable. */
    READ,
    /** A flush, which ends before the memtable is discarded. */
    FLUSH
}
