/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import java.util.Locale;

/** The storage of the content of partitions. */
enum Storage {
    /** Cassandra's own partition objects. */
    PARTITIONS_ON_HEAP,
    /** Rows and cells as bytes off heap. */
    OFF_HEAP;

    String parameterValue() {
        return name().toLowerCase(Locale.ROOT);
    }
}
