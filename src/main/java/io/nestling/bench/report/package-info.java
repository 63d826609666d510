/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * The report of a benchmark run as one self-contained page: charts drawn as SVG in Java, tables with every number, styles inside.
 * The page is well-formed XML, holds nothing but ASCII, and refers to nothing outside itself.
 */
package io.nestling.bench.report;
