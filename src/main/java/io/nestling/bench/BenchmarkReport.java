/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The results of one run.
 *
 * @param machine facts about machine and process by name, in the order in which to show them: processor, cores, memory,
 *     pages, JDK, bridge, date, command
 * @param model the model of the memory, unless it was not measured
 * @param baseline name of the subject that ratios refer to, if any
 * @param subjects the subjects in the order of the run
 * @param results the results in the order of the run
 */
public record BenchmarkReport(
    Map<String, Object> machine, Optional<MachineModel> model, Optional<String> baseline, List<SubjectDescription> subjects,
    List<Result> results) {
}
