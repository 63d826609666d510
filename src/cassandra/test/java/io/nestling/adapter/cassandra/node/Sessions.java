/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.adapter.cassandra.node;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Opens sessions of the official driver with long timeouts and without retries. */
final class Sessions {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private Sessions() {
    }

    static CqlSession connect(final List<String> addresses) {
        final DriverConfigLoader configuration = DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, TIMEOUT)
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, TIMEOUT)
                .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, TIMEOUT)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, TIMEOUT)
                .withDuration(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, TIMEOUT)
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_AGREEMENT_TIMEOUT, TIMEOUT)
                .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(500))
                .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(2))
                .withBoolean(DefaultDriverOption.REQUEST_WARN_IF_SET_KEYSPACE, false)
                .withBoolean(DefaultDriverOption.REQUEST_LOG_WARNINGS, false)
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_IO_SIZE, 2)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SIZE, 1)
                .build();
        final CqlSessionBuilder builder = CqlSession.builder().withConfigLoader(configuration).withLocalDatacenter("datacenter1");
        addresses.forEach(address -> builder.addContactPoint(new InetSocketAddress(address, Node.CQL_PORT)));
        return builder.build();
    }
}
