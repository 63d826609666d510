/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The ordered index Wormhole: a list of leaves, reached through a hash table of anchor prefixes. */
package io.nestling.wormhole;
