/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Benchmarks that compare subjects in one run: subjects (the indexes of the catalog, and peers from providers), workloads in
 * rounds over all subjects, a model of the machine's memory measured in the same run, and the report.
 */
package io.nestling.bench;
