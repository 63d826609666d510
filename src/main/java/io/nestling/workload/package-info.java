/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** Where keys come from: data sets and generators. */
package io.nestling.workload;
