/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The catalog of the built-in indexes: the only package that names every index. {@link io.nestling.catalog.OffHeapTrie} is a trie
 * without a memtable.
 */
package io.nestling.catalog;
