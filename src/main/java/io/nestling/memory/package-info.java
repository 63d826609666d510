/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Off-heap memory as users see it: where it comes from, the budget that it is charged to, and the exception if it runs out.
 */
package io.nestling.memory;
