/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
module consumer {
    requires io.nestling;
    requires micrometer.core;
}
