/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Cuckoo Trie: an ordered index whose nodes stand in a cuckoo hash table under their names, so that a lookup
 * reads all levels of its path at once, or the leaf alone.
 * <p>
 * A. Zeitak, A. Morrison: Cuckoo Trie: Exploiting Memory-Level Parallelism for Efficient DRAM Indexing, SOSP 2021.
 */
package io.nestling.cuckootrie;
