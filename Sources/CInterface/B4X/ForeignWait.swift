// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Runner
import Scheduling

/// A continuation in C: the embedder's function and its data.
struct ForeignWait: @unchecked Sendable {
    // Sendable: the embedder promises that the loop's thread may use function and data.

    let function: curfew_target_continuation
    let data: UnsafeMutableRawPointer?

    func settle(_ result: Result<TargetEvent?, BridgeError>) {
        switch result {
        case .failure(let error): function(data, error.status.rawValue, nil)
        case .success(nil): function(data, Status.ok.rawValue, nil)
        case .success(let event?):
            if let failure = event.failure {
                RaisedEvent.with(event, [.text("\(failure)")]) {
                    function(data, Status.failed.rawValue, $0)
                }
            } else {
                RaisedEvent.with(event) { function(data, Status.ok.rawValue, $0) }
            }
        }
    }
}
