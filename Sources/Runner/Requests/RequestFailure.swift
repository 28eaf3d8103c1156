// SPDX-License-Identifier: Apache-2.0
package import PluginBridge
package import Scheduling

/// The error of a call about requests that had no effect.
package enum RequestFailure: Error, Hashable, Sendable {
    case store(StoreFault)
    case refused(RequestRefusal)
    case other(Status, String)

    package var status: Status {
        switch self {
        case .store(let fault): fault.status
        case .refused(let refusal): refusal.status
        case .other(let status, _): status
        }
    }

    /// The failure, its place, and the remedy.
    package var message: String {
        switch self {
        case .store(let fault): fault.message
        case .refused(let refusal): refusal.message
        case .other(_, let message): message
        }
    }
}

extension StoreFault {
    package var status: Status {
        switch kind {
        case .busy: .storeBusy
        case .full: .storeFull
        case .readOnly: .storeReadOnly
        case .io: .storeIO
        case .corrupt: .storeCorrupt
        case .newer: .storeNewer
        case .locked: .storeLocked
        case .gone: .storeGone
        case .denied: .denied
        case .absent: .notFound
        case .unknown: .storeUnknown
        case .unreachable, .fenced: .storeUnreachable
        }
    }
}

extension PendingScope {
    /// Returns that its limit is reached, in lower case, without full stop.
    package func reached(_ limit: Int) -> String {
        let counted =
            switch self {
            case .kind(let kind): " of the kind \(kind.name)"
            case .identifier(let identifier): " of \(identifier)"
            case .owner(let user): " of user \(user)"
            case .all: " in all"
            }
        return
            "the limit of \(limit) pending request\(limit == 1 ? "" : "s")\(counted) is reached"
    }

    /// The setting of its limit, in C and in Swift; nil if there is none.
    fileprivate var setting: String? {
        switch self {
        case .kind(let kind):
            "the host's \(kind.name.replacing("-", with: "_"))_limit (pendingLimits in Swift)"
        case .identifier: "the host's identifier_limit (pendingLimitPerIdentifier in Swift)"
        case .owner: nil
        case .all: "the host's pending_limit (pendingLimitInAll in Swift)"
        }
    }
}

extension RequestRefusal {
    package var status: Status {
        switch self {
        case .tooMany: .tooMany
        case .keyTaken: .exists
        case .tooLarge: .tooLarge
        case .invalid: .invalid
        }
    }

    package var message: String {
        switch self {
        case .tooMany(let scope, let limit):
            "\(scope.reached(limit)); this one was not accepted: cancel one"
                + (scope.setting.map { ", or raise \($0)" } ?? "")
        case .keyTaken(let id):
            "request \(id) was submitted under the same key and asks for something else; this one was not accepted: use another key"
        case .tooLarge(let bytes, let limit):
            "the payload has \(bytes) bytes, and the limit is \(limit); the request was not accepted"
        case .invalid(let why): "\(why); the request was not accepted"
        }
    }
}
