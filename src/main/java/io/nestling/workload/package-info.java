/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** Sources of keys (data sets and generators), and mixes of operations on them. */
package io.nestling.workload;
