// SPDX-License-Identifier: Apache-2.0
import CCurfew
import CurfewValues
import PluginBridge

/// The host's extensions, for a plugin that has the interposer's table.
extension Interposer {
    /// An extension whose functions take this one's table.
    func `extension`(_ id: UnsafePointer<CChar>) -> UnsafeRawPointer? {
        let name = String(cString: id)
        noteAsked(name)
        guard hasExtensions, real.pointee.extension(real, id) != nil else { return nil }
        return switch name {
        case CURFEW_EXT_THREAD_CHECK: UnsafeRawPointer(Self.threadCheck)
        case CURFEW_EXT_SUBS: UnsafeRawPointer(Self.subs)
        case CURFEW_EXT_REQUESTS: UnsafeRawPointer(Self.requests)
        default: nil
        }
    }

    func hostExtension<T>(_ id: String, as type: T.Type) -> UnsafePointer<T> {
        id.withCString { real.pointee.extension(real, $0)! }.assumingMemoryBound(to: T.self)
    }

    nonisolated(unsafe) private static let threadCheck = {
        let table = UnsafeMutablePointer<curfew_thread_check>.allocate(capacity: 1)
        table.initialize(
            to: curfew_thread_check(
                struct_size: UInt32(MemoryLayout<curfew_thread_check>.size),
                current: { api in
                    let interposer = Interposer.of(api)
                    return interposer.hostExtension(
                        CURFEW_EXT_THREAD_CHECK, as: curfew_thread_check.self
                    )
                    .pointee.current(interposer.real)
                }))
        return table
    }()

    nonisolated(unsafe) private static let requests = {
        let table = UnsafeMutablePointer<curfew_requests>.allocate(capacity: 1)
        table.initialize(
            to: curfew_requests(
                struct_size: UInt32(MemoryLayout<curfew_requests>.size), reserved: 0,
                submit: { api, identifier, options, out, error in
                    if let refused = Interposer.of(api).refused("submit") {
                        ErrorBuffer.fill(
                            error, refused,
                            "as many requests are pending as may be; nothing was submitted")
                        return refused.rawValue
                    }
                    let (host, table) = Interposer.requests(of: api)
                    return table.submit(host, identifier, options, out, error)
                },
                cancel: { api, identifier, error in
                    let (host, table) = Interposer.requests(of: api)
                    return table.cancel(host, identifier, error)
                },
                snooze: { api, task, delay, error in
                    let (host, table) = Interposer.requests(of: api)
                    return table.snooze(host, task, delay, error)
                },
                get_request: { api, task in
                    let (host, table) = Interposer.requests(of: api)
                    return table.get_request(host, task)
                },
                list_pending: { api, after, states, capacity, count, error in
                    let (host, table) = Interposer.requests(of: api)
                    return table.list_pending(host, after, states, capacity, count, error)
                },
                read_payload: { api, request, buffer, capacity, bytes, error in
                    let (host, table) = Interposer.requests(of: api)
                    return table.read_payload(host, request, buffer, capacity, bytes, error)
                },
                get_wall_ns: { api in
                    let (host, table) = Interposer.requests(of: api)
                    return table.get_wall_ns(host)
                },
                get_owner: { api, task in
                    let (host, table) = Interposer.requests(of: api)
                    return table.get_owner(host, task)
                },
                get_trace: { api, task, buffer in
                    let (host, table) = Interposer.requests(of: api)
                    return table.get_trace(host, task, buffer)
                }))
        return table
    }()

    private static func requests(
        of api: UnsafePointer<curfew_host_api>
    ) -> (UnsafePointer<curfew_host_api>, curfew_requests) {
        let interposer = Interposer.of(api)
        return (
            interposer.real,
            interposer.hostExtension(CURFEW_EXT_REQUESTS, as: curfew_requests.self).pointee
        )
    }

    /// Continuations are called with the host's own table, which is as good.
    nonisolated(unsafe) private static let subs = {
        let table = UnsafeMutablePointer<curfew_subs>.allocate(capacity: 1)
        table.initialize(
            to: curfew_subs(
                struct_size: UInt32(MemoryLayout<curfew_subs>.size), reserved: 0,
                call_delayed: { api, sub, values, count in
                    let interposer = Interposer.of(api)
                    return interposer.hostExtension(CURFEW_EXT_SUBS, as: curfew_subs.self)
                        .pointee.call_delayed(interposer.real, sub, values, count)
                },
                wait_for: { api, selector, sender, limit, continuation, data in
                    let interposer = Interposer.of(api)
                    return interposer.hostExtension(CURFEW_EXT_SUBS, as: curfew_subs.self)
                        .pointee.wait_for(
                            interposer.real, selector, sender, limit, continuation, data)
                },
                sleep: { api, duration, continuation, data in
                    let interposer = Interposer.of(api)
                    return interposer.hostExtension(CURFEW_EXT_SUBS, as: curfew_subs.self)
                        .pointee.sleep(interposer.real, duration, continuation, data)
                }))
        return table
    }()
}
