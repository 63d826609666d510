/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * MlpIndex: an ordered index for 64-bit keys in a cuckoo hash table, all of whose levels are requested at once. Longer and
 * shorter keys stand by their first eight bytes; keys that share them form an ordered run.
 * <p>
 * H. Xu: Efficient Data Structures via Memory Level Parallelism, MIT 2019, section 4.
 */
package io.nestling.mlpindex;
