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
        case .tooMany(let kind, let limit):
            "\(limit) request\(limit == 1 ? "" : "s") of the kind \(kind.name) \(limit == 1 ? "is" : "are") pending, and no more may be; this one was not accepted: cancel one, or raise the limit"
        case .keyTaken(let id):
            "request \(id) was submitted under the same key and asks for something else; this one was not accepted: use another key"
        case .tooLarge(let bytes, let limit):
            "the payload has \(bytes) bytes, and the limit is \(limit); the request was not accepted"
        case .invalid(let why): "\(why); the request was not accepted"
        }
    }
}
