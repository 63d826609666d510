/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Sorted table files: {@link io.nestling.sstable.SstableWriter} writes a flush to a file, whole or not at all, {@link
 * io.nestling.sstable.SstableReader} reads it, and {@link io.nestling.sstable.TableSet} reads all tables of a directory. {@code
 * docs/formats/sstable.md} defines the format.
 */
package io.nestling.sstable;
