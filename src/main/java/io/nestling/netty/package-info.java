/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** Memory that Netty gives. */
package io.nestling.netty;
