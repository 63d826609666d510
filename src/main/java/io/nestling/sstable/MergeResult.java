/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.nio.file.Path;
import java.util.List;

/**
 * Result of a merge of tables.
 *
 * @param tables the output tables, in ascending order of keys; empty if nothing was left
 * @param inputEntries values and tombstones that were read
 * @param entries values and tombstones that were written
 * @param rangeTombstones range tombstones that were written
 * @param fileBytes size of the output tables in bytes
 */
public record MergeResult(List<Path> tables, long inputEntries, long entries, long rangeTombstones, long fileBytes) {
}
