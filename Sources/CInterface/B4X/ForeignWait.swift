// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Runner
import Scheduling

/// A continuation of the embedder's with the data it is called with.
struct ForeignWait: @unchecked Sendable {
    // Sendable: function and data may be used from the loop's thread, as their owner promised.

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
