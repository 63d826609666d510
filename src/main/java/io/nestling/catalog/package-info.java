/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** The only place that names every index. */
package io.nestling.catalog;
