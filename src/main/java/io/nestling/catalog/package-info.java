/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** The catalog of the built-in indexes: the only package that names every index. */
package io.nestling.catalog;
