/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Block trie after Cassandra's trie memtable: byte transitions, nodes in 32-byte blocks, one writer and lock-free readers. {@link
 * io.nestling.trie.InMemoryTrie} is the index. {@link io.nestling.trie.view} has views of it and other tries.
 */
package io.nestling.trie;
