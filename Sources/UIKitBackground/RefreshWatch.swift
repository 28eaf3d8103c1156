// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Foundation

/// Reports whether launches are allowed, and posts changes.
final class RefreshWatch: Sendable {
    /// The last status; nil if it was never read.
    private let last = Locked<UIBackgroundRefreshStatus?>(nil)

    /// The current status. The first read starts the posting of changes.
    var status: UIBackgroundRefreshStatus {
        let status = Self.read()
        let isFirst = last.withLock { last -> Bool in
            defer { last = last ?? status }
            return last == nil
        }
        if isFirst {
            AppHost.shared.observeFactors { name, _ in
                if name == "low-power-mode" { self.look() }
            }
            AppHost.shared.observeRefresh { self.look() }
        }
        return status
    }

    /// Something may have changed.
    func look() {
        let status = Self.read()
        let hasChanged = last.withLock { last -> Bool in
            guard let before = last, before != status else { return false }
            last = status
            return true
        }
        guard hasChanged else { return }
        DispatchQueue.main.async {
            let application = UIApplication.shared
            application.post(UIApplication.backgroundRefreshStatusDidChangeNotification)
        }
    }

    private static func read() -> UIBackgroundRefreshStatus {
        switch AppHost.shared.backgroundRefresh {
        case .restricted: return .restricted
        case .denied: return .denied
        case .available: break
        }
        let savesPower = AppHost.shared.factor(Int32(CURFEW_FACTOR_LOW_POWER_MODE)) == .no
        return savesPower ? .denied : .available
    }
}
