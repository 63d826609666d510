/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** The native helper (prefetch, memory mapping, page advice) through FFM, JNI or pure Java. */
package io.nestling.bridge;
