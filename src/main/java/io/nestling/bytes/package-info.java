/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** Unsigned byte strings: comparison, variable-length integers and hashing. */
package io.nestling.bytes;
