/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.mlpindex;

import io.nestling.index.IndexFactory;
import io.nestling.index.OrderedIndexContract;

class MlpIndexContractTest extends OrderedIndexContract {
    @Override
    protected IndexFactory factory() {
        return MlpFactory.INSTANCE;
    }
}
