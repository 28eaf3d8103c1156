// SPDX-License-Identifier: Apache-2.0
import CAppHost
import CCurfew
import CurfewValues

/// The setting for background refresh, and the host's date.
extension AppHost {
    private static let refreshObservers = Locked<[@Sendable () -> Void]>([])

    /// The setting for background refresh of the whole app, as a page of settings shows it. It is
    /// stored with the requests. Setting it also ends a suspension of all handlers, and posts
    /// `UIApplication.backgroundRefreshStatusDidChangeNotification`. In a plugin the host decides:
    /// the value is `available`, and setting it has no effect.
    public var backgroundRefresh: AppRefresh {
        get {
            // The settings of single identifiers count as well: the strictest one is returned.
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

    /// The date on the host's clock, in nanoseconds since 1970; 0 if there is no host.
    package var wall: Int64 {
        guard let handle = host, let functions = capphost_inside()?.pointee else { return 0 }
        return functions.wall(handle)
    }

    /// Returns the setting that is effective for one identifier.
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

/// Whether an app is launched in the background, to refresh what it shows.
public enum AppRefresh: Int32, Sendable {
    /// Background refresh is available.
    case available = 1
    /// The user has turned it off.
    case denied = 2
    /// An administrator has turned it off.
    case restricted = 3
}
