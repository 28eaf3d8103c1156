// SPDX-License-Identifier: Apache-2.0
import CAppHost
import CCurfew

/// The switch for refreshing in the background, and the host's date.
extension AppHost {
    private static let refreshObservers = AppLocked<[@Sendable () -> Void]>([])

    /// The switch for all of this app: what a page of settings shows. It is kept with the requests.
    /// Setting it also lifts a suspension of all handlers, and tells
    /// `UIApplication.backgroundRefreshStatusDidChangeNotification`. In a plugin it is its host's matter:
    /// `available`, and setting it changes nothing.
    public var backgroundRefresh: AppRefresh {
        get {
            // The settings of single identifiers count as well: the strictest one is shown.
            let told = [bundle.identifier + ".fetch"] + bundle.permittedIdentifiers
            return told.map(refresh).max { $0.rawValue < $1.rawValue } ?? .available
        }
        set {
            guard let handle = host, let functions = capphost_inside()?.pointee else { return }
            do throws(AppRegistryFailure) {
                try AppCall.check {
                    functions.set_setting(
                        handle, nil, nil, newValue.rawValue,
                        curfew_enablement(CURFEW_ENABLEMENT_ENABLED), $0)
                }
            } catch {
                log(.error, "the setting for refreshing was not kept: \(error.message)")
            }
            for observer in Self.refreshObservers.withLock({ $0 }) { observer() }
        }
    }

    /// Calls `body` whenever `backgroundRefresh` is set, for the life of the process.
    package func observeRefresh(_ body: @escaping @Sendable () -> Void) {
        Self.refreshObservers.withLock { $0.append(body) }
    }

    /// The date on the host's clock, in nanoseconds since 1970; 0 where there is no host.
    package var wall: Int64 {
        guard let handle = host, let functions = capphost_inside()?.pointee else { return 0 }
        return functions.wall(handle)
    }

    /// The setting, as it counts for one identifier.
    private func refresh(of identifier: String) -> AppRefresh {
        guard let handle = host, let functions = capphost_inside()?.pointee else {
            return .available
        }
        var blank = curfew_factor_report()
        blank.struct_size = UInt32(MemoryLayout<curfew_factor_report>.size)
        var reports = Array(repeating: blank, count: 32)
        var count: UInt32 = 0
        let status = reports.withUnsafeMutableBufferPointer {
            functions.explain(
                handle, identifier, nil, $0.baseAddress!, UInt32($0.count), &count, nil, nil)
        }
        let report = reports.prefix(Int(count)).first {
            $0.factor == curfew_factor(CURFEW_FACTOR_REFRESH_SETTING)
        }
        guard status == curfew_status(CURFEW_OK), let report, report.holds else {
            return .available
        }
        return report.detailText == "restricted" ? .restricted : .denied
    }
}
