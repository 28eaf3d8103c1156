// SPDX-License-Identifier: Apache-2.0
import AppHost
import CCurfew
import CurfewValues
import Foundation

/// Tells the delegate and observers of what changes about the machine: protected data, and memory that
/// runs short.
final class DeviceWatch: Sendable {
    private enum Notice {
        case protectedDataAvailable
        case protectedDataUnavailable
        case memoryWarning
    }

    private let isProtectedDataAvailable = Locked(true)

    /// Observes the host's factors from now on.
    func begin(_ host: AppHost) {
        isProtectedDataAvailable.exchange(
            host.factor(Int32(CURFEW_FACTOR_FIRST_UNLOCK)) != .no)
        host.observeFactors { [weak host] factor, state in
            guard let host, let notice = self.notice(of: factor, state, host) else { return }
            DispatchQueue.main.async { Self.tell(notice) }
        }
    }

    private func notice(
        of factor: String, _ state: AppFactorState, _ host: AppHost
    ) -> Notice? {
        switch factor {
        case "first-unlock":
            let isAvailable = state != .no
            guard isProtectedDataAvailable.exchange(isAvailable) != isAvailable else { return nil }
            return isAvailable ? .protectedDataAvailable : .protectedDataUnavailable
        case "pressure":
            // The machine has one factor for processors, disks and memory, whose detail begins with
            // the one that is short.
            let detail = host.factorDetail(Int32(CURFEW_FACTOR_PRESSURE)).detail
            return state == .no && detail.hasPrefix("memory") ? .memoryWarning : nil
        default:
            return nil
        }
    }

    @MainActor private static func tell(_ notice: Notice) {
        let application = UIApplication.shared
        switch notice {
        case .protectedDataAvailable:
            application.delegate?.applicationProtectedDataDidBecomeAvailable(application)
            application.post(UIApplication.protectedDataDidBecomeAvailableNotification)
        case .protectedDataUnavailable:
            application.delegate?.applicationProtectedDataWillBecomeUnavailable(application)
            application.post(UIApplication.protectedDataWillBecomeUnavailableNotification)
        case .memoryWarning:
            application.delegate?.applicationDidReceiveMemoryWarning(application)
            application.post(UIApplication.didReceiveMemoryWarningNotification)
        }
    }
}
