// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// What holds a request in one host of its store.
package struct HostAnswer: Sendable {
    /// The host; nil if none uses the store.
    package let host: HostView?
    /// The state of every factor, with those that delay it first.
    package var reports: [FactorReport]

    package init(host: HostView?, reports: [FactorReport]) {
        (self.host, self.reports) = (host, reports)
    }

    package var holding: [FactorReport] { reports.filter(\.holds) }
}
