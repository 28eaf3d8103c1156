// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge

/// An error of a sub in C.
struct SubFailure: Error, CustomStringConvertible {
    let status: Status
    let text: String

    var description: String { text.isEmpty ? "\(status)" : text }

    /// Calls `body`, and writes its error, the sub's own or that of the call, to the caller's
    /// error.
    static func answer(
        _ error: UnsafeMutablePointer<curfew_error>?, _ body: () throws -> Void
    ) -> curfew_status {
        do {
            try body()
            return Status.ok.rawValue
        } catch let failure as SubFailure {
            ErrorBuffer.fill(error, failure.status, failure.description)
            return failure.status.rawValue
        } catch let failure as BridgeError {
            ErrorBuffer.fill(error, failure.status, failure.message)
            return failure.status.rawValue
        } catch let failure {
            ErrorBuffer.fill(error, .failed, "\(failure)")
            return Status.failed.rawValue
        }
    }
}
