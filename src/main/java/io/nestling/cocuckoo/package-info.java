/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Cuckoo hash table for many writers: the subgraphs of the cuckoo graph tell in advance whether a key finds room, and writers
 * lock them. {@link io.nestling.cocuckoo.CoCuckoo} is the index.
 */
package io.nestling.cocuckoo;
