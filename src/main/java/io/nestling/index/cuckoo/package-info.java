/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What the indexes in cuckoo hash tables share: buckets whose number grows by one at a time, and the search for
 * the nodes that have to move so that a new one finds room.
 */
package io.nestling.index.cuckoo;
