// SPDX-License-Identifier: Apache-2.0
import BackgroundTasks
import CCurfew
import CInterface
import TestSupport

extension Scenario {
    /// An app that loads a plugin with code of an app's in it: there is one registry all the same.
    static let plugin: [String: Body] = [
        "plugin": { stage in
            stage.open()
            stage.set(Int(CURFEW_FACTOR_NETWORK), false)
            var error = curfew_error()
            error.struct_size = UInt32(MemoryLayout<curfew_error>.size)
            let directory = CommandLine.arguments.dropFirst(2).first ?? ""
            guard curfew_host_load_plugin(stage.host, directory, &error) == curfew_status(CURFEW_OK)
            else {
                withUnsafeBytes(of: error.message) {
                    print(String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self))
                }
                return
            }
            _ = curfew_host_submit(
                stage.host, "org.curfew.test.apple-tasks.refresh", nil, nil, nil, nil)
            print(stage.ended(1))
            let seen = Signal()
            BGTaskScheduler.shared.getPendingTaskRequests { requests in
                for case let request as BGProcessingTaskRequest in requests {
                    print(
                        "app: \(request.identifier), network \(request.requiresNetworkConnectivity)"
                    )
                }
                seen.send()
            }
            seen.wait("the pending requests")
        }
    ]
}
