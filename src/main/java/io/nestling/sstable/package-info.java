/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Sorted table files: {@link io.nestling.sstable.SstableWriter} takes a flush and publishes a file whole or
 * not at all, {@link io.nestling.sstable.SstableReader} reads it, and {@link io.nestling.sstable.TableSet}
 * reads all of a directory. The format stands in {@code docs/formats/sstable.md}.
 */
package io.nestling.sstable;
