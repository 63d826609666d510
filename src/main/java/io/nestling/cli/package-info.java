/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/** The command line: {@code bin/nestling}. */
package io.nestling.cli;
