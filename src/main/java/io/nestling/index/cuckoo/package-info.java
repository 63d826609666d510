/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The parts shared by the indexes in cuckoo hash tables: linear hashing, which adds one bucket at a time, and the search for
 * the nodes that have to move to make room for a new one.
 */
package io.nestling.index.cuckoo;
