/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Views of tries: merges, slices and intersections, walked by depth and transition without building keys. {@link
 * io.nestling.trie.view.Trie} is the entry point; {@link io.nestling.catalog.OffHeapTrie} is a source.
 */
package io.nestling.trie.view;
