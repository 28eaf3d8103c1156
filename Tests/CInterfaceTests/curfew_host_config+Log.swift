// SPDX-License-Identifier: Apache-2.0
import CCurfew
import TestSupport

extension curfew_host_config {
    /// A log function that does not return before it is let go. The caller keeps `stuck`.
    mutating func block(logging stuck: Stuck) {
        log_data = Unmanaged.passUnretained(stuck).toOpaque()
        log = { data, _, _, _, _, _ in
            let stuck = Unmanaged<Stuck>.fromOpaque(data!).takeUnretainedValue()
            stuck.entered.send()
            _ = stuck.go.wait()
        }
    }
}
