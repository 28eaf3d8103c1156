// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Runner
import Scheduling

extension HostConfiguration {
    /// Reads a `curfew_host_config` of any version; a zero means the default.
    init(_ config: UnsafePointer<curfew_host_config>?) throws(BridgeError) {
        self.init()
        guard let config else { return }
        guard let copy = StructCopy.read(config, least: 8, zero: curfew_host_config()) else {
            throw BridgeError(
                .invalid,
                "curfew_host_config.struct_size is not that of any version of the struct; set it to sizeof(curfew_host_config)"
            )
        }
        manualDispatch = copy.manual_dispatch
        if let clock = copy.clock {
            self.clock = Unmanaged<ManualClock>.fromOpaque(UnsafeRawPointer(clock))
                .takeUnretainedValue()
        }
        if let function = copy.log {
            nonisolated(unsafe) let data = copy.log_data
            log = { level, plugin, task, line in
                var line = line
                line.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { bytes in
                        // Swift has no address for an empty line, but C gets one.
                        var none: CChar = 0
                        withUnsafePointer(to: &none) { empty in
                            let start = bytes.baseAddress ?? empty
                            if let plugin {
                                plugin.withCString {
                                    function(
                                        data, level.rawValue, $0, task, start, UInt64(bytes.count))
                                }
                            } else {
                                function(
                                    data, level.rawValue, nil, task, start, UInt64(bytes.count))
                            }
                        }
                    }
                }
            }
        }
        appRefresh = try Workers(copy.app_refresh)
        processing = try Workers(copy.processing)
        if copy.task_limit != 0 { taskLimit = copy.task_limit }
        if copy.queue_limit != 0 { queueLimit = copy.queue_limit }
        if copy.event_limit != 0 { eventLimit = copy.event_limit }
        if copy.lost_limit != 0 { lostLimit = copy.lost_limit }
        interruptsQuarantined = copy.interrupt_quarantined
        loadsPlugins = copy.load_plugins
        permitsCommands = copy.permits_commands
        if copy.lost_after_ns != 0 { lostAfter = copy.lost_after_ns }
        if copy.max_payload_bytes != 0 { payloadLimit = copy.max_payload_bytes }
        if copy.max_result_bytes != 0 { resultLimit = copy.max_result_bytes }
        permitted = try copy.permitted.map { start throws(BridgeError) in
            try needed(start, "permitted", limit: ForeignText.path)
        }
        pins = try PinReader.read(copy.pins, count: Int(copy.pin_count))
        systemLibraries = try Self.names(
            copy.system_libraries, count: Int(copy.system_library_count), limit: 256,
            ("system_libraries", "system_library_count"))
        requests = try RequestConfiguration(copy)
        if copy.isolation != 0 {
            isolation = try Self.isolation(copy.isolation, "isolation")
        }
        pluginIsolation = try Self.isolations(copy.isolations, count: copy.isolation_count)
        if copy.kill_after_ns != 0 { killAfter = copy.kill_after_ns }
        helper = try copy.helper.map { start throws(BridgeError) in
            try needed(start, "helper", limit: ForeignText.path)
        }
        if copy.trust != 0 {
            guard let policy = TrustPolicy(rawValue: copy.trust) else {
                throw Self.refusal(
                    "trust is \(copy.trust); it must be CURFEW_TRUST_OFF, CURFEW_TRUST_WARN or CURFEW_TRUST_REQUIRE"
                )
            }
            trust = policy
        }
        keyDirectories = try Self.names(
            copy.key_directories, count: Int(copy.key_directory_count), limit: 64,
            ("key_directories", "key_directory_count"))
        confinesPlugins = copy.confine
        func given<Value: UnsignedInteger>(_ value: Value) -> UInt64? {
            value == 0 ? nil : UInt64(value)
        }
        processLimits.memory = given(copy.process_memory_bytes)
        processLimits.fileBytes = given(copy.process_file_bytes)
        processLimits.descriptors = given(copy.process_descriptors)
        processLimits.processes = given(copy.process_count)
        processIdleLimit = given(copy.process_idle_ns)
        executesProcesses = copy.execute_processes
    }

    private static func isolation(
        _ value: curfew_isolation, _ name: String
    ) throws(BridgeError) -> Isolation {
        guard let isolation = Isolation(rawValue: value) else {
            throw refusal(
                "\(name) is \(value); it must be CURFEW_ISOLATION_THREAD or CURFEW_ISOLATION_PROCESS"
            )
        }
        return isolation
    }

    private static func isolations(
        _ list: UnsafePointer<curfew_plugin_isolation>?, count: UInt32
    ) throws(BridgeError) -> [String: Isolation] {
        guard count <= PinReader.countLimit, list != nil || count == 0 else {
            throw refusal(
                "isolation_count is \(count), and "
                    + (list == nil
                        ? "isolations is NULL" : "the limit is \(PinReader.countLimit)"))
        }
        guard let list, count > 0 else { return [:] }
        let stride = Int(list.pointee.struct_size)
        guard stride >= 16, stride <= 4_096, stride % 8 == 0 else {
            throw refusal(
                "curfew_plugin_isolation.struct_size is not that of any version of the struct; set it to sizeof(curfew_plugin_isolation)"
            )
        }
        var result: [String: Isolation] = [:]
        for index in 0..<Int(count) {
            let element = (UnsafeRawPointer(list) + index * stride)
                .load(as: curfew_plugin_isolation.self)
            guard element.struct_size == UInt32(stride) else {
                throw refusal("struct_size of isolations[\(index)] is not that of the first")
            }
            let id = try needed(
                element.plugin, "the configuration cannot be used: plugin of isolations[\(index)]",
                limit: ForeignText.path)
            result[id] = try isolation(element.isolation, "isolation of \"\(id)\"")
        }
        return result
    }

    private static func refusal(_ text: String) -> BridgeError {
        BridgeError(.invalid, "the configuration cannot be used: \(text)")
    }

    private static func names(
        _ list: UnsafePointer<UnsafePointer<CChar>?>?, count: Int, limit: Int,
        _ member: (list: String, count: String)
    ) throws(BridgeError) -> [String]? {
        guard count <= limit, list != nil || count == 0 else {
            throw refusal(
                "\(member.count) is \(count), and "
                    + (list == nil ? "\(member.list) is NULL" : "the limit is \(limit)"))
        }
        guard let list else { return nil }
        var names: [String] = []
        for index in 0..<count {
            names.append(
                try needed(
                    list[index],
                    "the configuration cannot be used: element \(index) of \(member.list)",
                    limit: ForeignText.path))
        }
        return names
    }
}

extension HostConfiguration.Workers {
    init(_ config: UnsafePointer<curfew_worker_config>?) throws(BridgeError) {
        self.init()
        guard let config else { return }
        guard let copy = StructCopy.read(config, least: 8, zero: curfew_worker_config()) else {
            throw BridgeError(
                .invalid,
                "curfew_worker_config.struct_size is not that of any version of the struct")
        }
        if copy.workers != 0 { count = Int(copy.workers) }
        nice = copy.nice
        ioPriority = copy.io_priority
        stackBytes = copy.stack_bytes
    }
}

extension ShutdownLimits {
    init(_ options: UnsafePointer<curfew_shutdown_options>?) throws(BridgeError) {
        self.init()
        guard let options else { return }
        guard let copy = StructCopy.read(options, least: 8, zero: curfew_shutdown_options()) else {
            throw BridgeError(
                .invalid,
                "curfew_shutdown_options.struct_size is not that of any version of the struct")
        }
        drain = copy.drain_ns
        if copy.expire_ns != 0 { expire = copy.expire_ns }
        if copy.leave_ns != 0 { leave = copy.leave_ns }
    }
}
