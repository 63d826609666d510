/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra;

import com.codahale.metrics.Gauge;
import org.apache.cassandra.metrics.CassandraMetricsRegistry;
import org.apache.cassandra.schema.TableMetadata;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;

/**
 * The metrics of Nestling of one table, beside those that Cassandra has for each table.
 * <h2>Thread safety</h2> One thread at a time creates or releases.
 */
final class TableMetrics {
    private static final String GROUP = "org.apache.cassandra.metrics";

    private final List<CassandraMetricsRegistry.MetricName> names = new ArrayList<>();

    TableMetrics(final TableMetadata table, final TableStatistics statistics) {
        final String type = table.isIndex() ? "IndexTable" : "Table";
        final String bean = GROUP + ":type=" + type + ",keyspace=" + table.keyspace + ",scope=" + table.name + ",name=";
        for (final MemtableStatistic statistic : MemtableStatistic.values()) {
            final CassandraMetricsRegistry.MetricName name = new CassandraMetricsRegistry.MetricName(
                GROUP, type, statistic.metric(), table.keyspace + "." + table.name, bean + statistic.metric());
            final Gauge<Long> gauge = () -> statistics.get(statistic);
            CassandraMetricsRegistry.Metrics.register(name, gauge);
            names.add(name);
        }
    }

    /** Removes the metrics. The method of Cassandra returns whether there was one in 5.0, and nothing in 6.0. */
    void release() {
        try {
            for (final CassandraMetricsRegistry.MetricName name : names) {
                CassandraMetricsRegistry.class.getMethod("remove", CassandraMetricsRegistry.MetricName.class)
                    .invoke(CassandraMetricsRegistry.Metrics, name);
            }
        } catch (final ReflectiveOperationException e) {
            LoggerFactory.getLogger(TableMetrics.class).warn("Metrics of a table stay: {}", names, e);
        }
    }
}
