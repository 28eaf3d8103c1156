// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// What can be asked of several requests at once.
package enum RequestAction: String, Sendable, CaseIterable {
    case cancel, retry, launch, release

    /// The states of requests of which it can be asked.
    package var states: Set<RequestState> {
        switch self {
        case .cancel: [.running, .parked, .pending]
        case .retry: Set(RequestState.allCases.filter { !$0.isLive })
        case .launch: [.pending]
        case .release: [.parked]
        }
    }
}
