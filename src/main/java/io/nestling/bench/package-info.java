/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Side-by-side measurement: subjects (the indexes of the catalog, and peers that a provider brings along), workloads in rounds
 * that go round all subjects, a model of the machine measured in the same run, and the report of it all.
 */
package io.nestling.bench;
