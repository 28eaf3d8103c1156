// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Curfew
import PluginBridge
import Runner
import Scheduling

extension RequestConfiguration {
    /// Reads `store` and `requests` of a configuration; a zero means the default.
    init(_ config: curfew_host_config) throws(BridgeError) {
        self.init()
        if let directory = config.store {
            let path = try needed(directory, "store", limit: ForeignText.path)
            do throws(CurfewError) {
                try store(in: path)
            } catch {
                throw BridgeError(error.code, error.message)
            }
        }
        guard let requests = config.requests else { return }
        guard let copy = StructCopy.read(requests, least: 8, zero: curfew_request_config()) else {
            throw BridgeError(
                .invalid,
                "curfew_request_config.struct_size is not that of any version of the struct")
        }
        func take(_ value: UInt32, _ limit: inout Int) { if value != 0 { limit = Int(value) } }
        for (kind, limit) in [
            (TaskKind.appRefresh, copy.app_refresh_limit), (.processing, copy.processing_limit),
            (.healthResearch, copy.health_research_limit),
            (.continuedProcessing, copy.continued_processing_limit),
        ] where limit != 0 { limits.pending[kind] = Int(limit) }
        take(copy.identifier_limit, &limits.pendingPerIdentifier)
        take(copy.pending_limit, &limits.pendingInAll)
        take(copy.history_limit, &limits.historyCount)
        take(copy.place_limit, &places)
        if copy.crash_limit != 0 { limits.crashes = copy.crash_limit }
        if copy.history_ns != 0 { limits.historyAge = copy.history_ns }
        if copy.debounce_ns != 0 { debounceNanoseconds = copy.debounce_ns }
        if copy.no_debounce { debounceNanoseconds = 0 }
        rate.spacing = copy.spacing_ns
        if copy.penalty_ns != 0 { rate.penalty = copy.penalty_ns }
        if copy.no_penalty { rate.penalty = 0 }
        dayBudget = DayBudget(
            limits: DayLimits(
                launches: copy.day_launches == 0 ? nil : copy.day_launches,
                wall: copy.day_wall_ns == 0 ? nil : copy.day_wall_ns,
                cpu: copy.day_cpu_ns == 0 ? nil : copy.day_cpu_ns))
        usageThreshold = copy.usage_threshold
        machineThresholds = MachineThresholds(copy)
        if copy.reads_machine { readMachine(machineThresholds) }
        if copy.throttle_ns != 0 { floor = copy.throttle_ns }
        if copy.no_throttle { floor = 0 }
    }
}

extension MachineThresholds {
    /// Reads the thresholds of a configuration; a zero means the default.
    fileprivate init(_ config: curfew_request_config) {
        self.init()
        if config.idle_after_ns != 0 { idleAfter = Duration(inNanoseconds: config.idle_after_ns) }
        if config.low_battery != 0 { lowBattery = Int(config.low_battery) }
        func take(_ percent: UInt8, _ limit: inout Double) {
            if percent != 0 { limit = Double(percent) }
        }
        take(config.processor_pressure_10s, &processorPressure.tenSeconds)
        take(config.processor_pressure_60s, &processorPressure.minute)
        take(config.memory_pressure_10s, &memoryPressure.tenSeconds)
        take(config.memory_pressure_60s, &memoryPressure.minute)
        take(config.disk_pressure_10s, &diskPressure.tenSeconds)
        take(config.disk_pressure_60s, &diskPressure.minute)
    }
}
