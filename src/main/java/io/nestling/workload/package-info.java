/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** Where keys come from, data sets and generators, and what clients do with them: mixes of operations. */
package io.nestling.workload;
