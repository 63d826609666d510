/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that one run found out.
 *
 * @param machine facts on machine and process by name, in the order in which they should be shown: processor, cores, memory,
 *     pages, JDK, bridge, date, command
 * @param model the memory's model, unless it was left out
 * @param baseline name of the subject that ratios refer to, if there is one
 * @param subjects the subjects in the order of the run
 * @param results the results in the order of the run
 */
public record BenchmarkReport(
    Map<String, Object> machine, Optional<MachineModel> model, Optional<String> baseline, List<SubjectDescription> subjects,
    List<Result> results) {
}
