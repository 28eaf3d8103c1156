// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge
import Runner
import Scheduling

private func factor(_ number: curfew_factor) throws(RequestFailure) -> Factor {
    guard let factor = UInt8(exactly: number).flatMap(Factor.init) else {
        throw .other(.invalid, "\(number) is not a CURFEW_FACTOR_ constant")
    }
    return factor
}

private func value(_ number: curfew_factor_value) throws(RequestFailure) -> FactorState {
    guard let value = UInt8(exactly: number).flatMap(FactorState.init) else {
        throw .other(.invalid, "\(number) is not a CURFEW_FACTOR_VALUE_ constant")
    }
    return value
}

@c @implementation public func curfew_host_get_factor(
    _ host: OpaquePointer, _ number: curfew_factor,
    _ out: UnsafeMutablePointer<curfew_factor_report>, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let factor = try factor(number)
        let state = try host.requests.factor(factor)
        try fill(out, "out_report", state) { curfew_factor_report(factor, $0) }
    }
}

@c @implementation public func curfew_host_override_factor(
    _ host: OpaquePointer, _ number: curfew_factor, _ reading: curfew_factor_value,
    _ detail: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        try host.requests.set(
            try factor(number),
            FactorReading(
                try value(reading), source: "embedder",
                detail: ForeignText.shown(detail, limit: FactorReading.detailLimit) ?? "set by hand"
            ))
    }
}

@c @implementation public func curfew_host_clear_factor_override(
    _ host: OpaquePointer, _ number: curfew_factor, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        try host.requests.set(try factor(number), nil)
    }
}

@c @implementation public func curfew_host_report_factor(
    _ host: OpaquePointer, _ number: curfew_factor, _ reading: curfew_factor_value,
    _ source: UnsafePointer<CChar>?, _ detail: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        try host.requests.observe(
            try factor(number),
            FactorReading(
                try value(reading),
                source: ForeignText.shown(source, limit: FactorReading.sourceLimit) ?? "embedder",
                detail: ForeignText.shown(detail, limit: FactorReading.detailLimit) ?? ""))
    }
}

@c @implementation public func curfew_host_set_setting(
    _ host: OpaquePointer, _ plugin: UnsafePointer<CChar>?,
    _ identifier: UnsafePointer<CChar>?, _ refresh: curfew_refresh,
    _ enablement: curfew_enablement, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        guard let refresh = UInt8(exactly: refresh).flatMap(RefreshSetting.init),
            let enablement = UInt8(exactly: enablement).flatMap(HandlerEnablement.init)
        else { throw .other(.invalid, "there is no such setting") }
        let scope: HandlerScope =
            if let identifier {
                .identifier(try name(identifier))
            } else if let plugin {
                .plugin(try name(plugin, "plugin"))
            } else { .all }
        try host.requests.set(HandlerSetting(refresh: refresh, enablement: enablement), for: scope)
    }
}

@c @implementation public func curfew_host_report_usage(
    _ host: OpaquePointer, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in try host.requests.noteUsage() }
}

@c @implementation public func curfew_host_get_day_balance(
    _ host: OpaquePointer, _ out: UnsafeMutablePointer<curfew_day_balance>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let balance = try host.requests.dayBalance()
        try fill(out, "out_balance", balance) { balance in
            curfew_day_balance(
                struct_size: 0, limits_launches: balance.launches != nil,
                limits_wall: balance.wall != nil, limits_cpu: balance.cpu != nil, reserved: 0,
                launches: balance.launches ?? 0, wall_ns: balance.wall ?? 0,
                cpu_ns: balance.cpu ?? 0)
        }
    }
}

// MARK: Simulation

/// Reads an identifier to look up. One that cannot be read is that of no handler.
private func sought(_ identifier: UnsafePointer<CChar>) throws(RequestFailure) -> String {
    if isNull(identifier) { throw .other(.invalid, "identifier is NULL") }
    return ForeignText.read(identifier, limit: ForeignText.name) ?? ""
}

@c @implementation public func curfew_host_simulate_launch(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>,
    _ out: UnsafeMutablePointer<curfew_request>?, _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        let id = try host.requests.simulateLaunch(try sought(identifier))
        out?.pointee = id.rawValue
    }
}

@c @implementation public func curfew_host_simulate_expiration(
    _ host: OpaquePointer, _ identifier: UnsafePointer<CChar>,
    _ error: UnsafeMutablePointer<curfew_error>?
) -> curfew_status {
    answer(host, error) { (host) throws(RequestFailure) in
        try host.requests.simulateExpiration(try sought(identifier))
    }
}
