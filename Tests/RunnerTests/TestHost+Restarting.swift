// SPDX-License-Identifier: Apache-2.0
import Scheduling
import TestSupport

@testable import Runner

extension TestHost {
    /// Makes a host without a log that has loaded the plugin `process` into a process, and that starts
    /// another one at once whenever that ends.
    static func restarting(
        ownLoop: Bool = false, configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> TestHost {
        let host = try TestHost(clock: nil, ownLoop: ownLoop, observing: false) { configuration in
            configuration.isolation = .process
            // Thousands of lines would be kept.
            configuration.log = { _, _, _, _ in }
            configuration.childLimits.firstPause = 1
            configuration.childLimits.longestPause = 1
            configuration.childLimits.ends = .max
            configure(&configuration)
        }
        try host.runtime.plugins.load(BuiltProducts.testPluginDirectory("process"))
        return host
    }
}
