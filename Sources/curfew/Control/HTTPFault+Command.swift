// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Runner
import Scheduling
import Service

extension HTTPFault {
    /// Translates the failure of a command.
    init(_ error: CommandError) {
        let (status, word): (UInt32, String) =
            switch error.code {
            case .usage: (422, "refused")
            case .missing: (404, "notFound")
            case .conflict: (409, "state")
            case .denied: (403, "denied")
            default: (503, "store")
            }
        // A message may have what the client sent in it.
        self.init(
            status, error.fault?.code ?? word, Shown.line(error.message),
            help: (error.notes + error.help).map(Shown.line))
    }

    /// Translates why a host has not done something.
    init(_ failure: RequestFailure) {
        switch failure {
        case .store(let fault):
            self.init(
                fault.kind == .full ? 507 : 503, "store", fault.message,
                help: [
                    fault.kind == .unknown
                        ? "whether it was changed is not known: with the same key a submission can be repeated"
                        : "nothing was changed; `curfew doctor` looks at the store"
                ])
        case .refused(.tooMany(let scope, _)):
            let threshold: String? =
                switch scope {
                case .kind(let kind): "\(kind.name)-limit"
                case .identifier: "identifier-limit"
                case .all: "pending-limit"
                case .owner: nil
                }
            self.init(
                429, "tooMany", failure.message,
                help: ["cancel one, or try again once one is over"]
                    + (threshold.map { ["for more: curfew serve --threshold \($0)=N"] } ?? []))
        case .refused(.keyTaken):
            self.init(409, "keyTaken", failure.message, help: ["give this one another key"])
        case .refused(.tooLarge):
            self.init(
                413, "tooLarge", failure.message, help: ["put it into a file, and submit its name"])
        case .refused(.invalid): self.init(422, "refused", failure.message)
        case .other(.notFound, let message): self.init(404, "notFound", message)
        case .other(.wrongState, let message), .other(.already, let message):
            self.init(409, "state", message)
        case .other(.denied, let message): self.init(403, "denied", message)
        case .other(.closing, let message): self.init(503, "stopping", message)
        case .other(.exists, let message): self.init(409, "keyTaken", message)
        case .other(.invalid, let message): self.init(422, "refused", message)
        case .other(_, let message): self.init(500, "internal", message)
        }
    }
}
