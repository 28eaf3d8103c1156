// SPDX-License-Identifier: Apache-2.0
import CCurfew
import Curfew
import PluginBridge
import Runner
import Scheduling

/// Calls `body` with the host behind a handle, without counting references: the caller keeps the
/// handle valid during the call.
@inline(__always)
func with<T>(_ host: OpaquePointer, _ body: (HostRuntime) -> T) -> T {
    Unmanaged<Host>.fromOpaque(UnsafeRawPointer(host))._withUnsafeGuaranteedRef { body($0.runtime) }
}

@inline(__always)
func with<T>(_ clock: OpaquePointer, _ body: (ManualClock) -> T) -> T {
    Unmanaged<ManualClock>.fromOpaque(UnsafeRawPointer(clock))._withUnsafeGuaranteedRef(body)
}

/// Reads a text that must not be cut or repaired. Throws `.invalid` if it is NULL, too long, or not
/// UTF-8.
func needed(
    _ start: UnsafePointer<CChar>?, _ what: String, limit: Int = ForeignText.name
) throws(BridgeError) -> String {
    guard let text = ForeignText.read(start, limit: limit) else {
        let fault =
            UInt(bitPattern: start) == 0
            ? "is NULL" : "has more than \(limit) bytes, or is not UTF-8"
        throw BridgeError(.invalid, "\(what) \(fault)")
    }
    return text
}

/// Runs a throwing call, and writes its error to the caller's error.
func answer(
    _ error: UnsafeMutablePointer<curfew_error>?, _ body: () throws(BridgeError) -> Void
) -> curfew_status {
    do {
        try body()
        return Status.ok.rawValue
    } catch let failure {
        ErrorBuffer.fill(error, failure.status, failure.message)
        return failure.status.rawValue
    }
}

/// Returns a status; unless it is OK, writes it with the text `what` to the caller's error.
func answer(
    _ error: UnsafeMutablePointer<curfew_error>?, _ status: Status,
    _ what: @autoclosure () -> String
) -> curfew_status {
    if status != .ok, error != nil { ErrorBuffer.fill(error, status, what()) }
    return status.rawValue
}

/// Refuses a NULL, which C can pass, for the parameter `name`, which needs a pointer.
func refuseNull(_ error: UnsafeMutablePointer<curfew_error>?, _ name: String) -> curfew_status {
    answer(error, .invalid, "\(name) is NULL")
}

/// Returns whether the caller's struct is large enough for its first members, up to `least` bytes.
func hasRoom<T>(_ target: UnsafeMutablePointer<T>, _ least: UInt32) -> Bool {
    !isNull(target) && sizeOf(target) >= least
}

/// Writes the error for the parameter `name`, a caller's struct that is too small, or NULL.
func refuseSize<T>(
    _ error: UnsafeMutablePointer<curfew_error>?, _ target: UnsafeMutablePointer<T>, _ name: String
) -> curfew_status {
    answer(
        error, .invalid,
        isNull(target)
            ? "\(name) is NULL"
            : "\(T.self).struct_size is not that of any version of the struct; set it to sizeof(\(T.self))"
    )
}

func sizeOf<T>(_ target: UnsafeMutablePointer<T>) -> UInt32 {
    UnsafeRawPointer(target).load(as: UInt32.self)
}

/// Eight counters, one for each constant of `curfew_outcome`.
typealias OutcomeCounts = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

func outcomeCounts(_ count: (Outcome) -> UInt64) -> OutcomeCounts {
    (
        0, count(.succeeded), count(.failed), count(.expired), count(.cancelled),
        count(.interrupted), count(.abandoned), count(.crashed)
    )
}
