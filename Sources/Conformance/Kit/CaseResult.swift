// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// The result of one case.
package struct CaseResult: Sendable {
    package let tested: ConformanceCase
    package var verdict: CaseVerdict
    /// Where the plugin's code ran.
    package var isolation = Isolation.thread
    /// Nanoseconds.
    package let duration: UInt64
    /// The seed of what failed, where chance found it: it brings back just that.
    package let seed: UInt64?
    /// The beginning of what the plugin wrote meanwhile.
    package let output: String
    /// The case that did not pass, and without which this one was not begun.
    package var needed: String?
    /// It was not begun because the time was used up.
    package var isLeftOut = false
    /// The number of examples, or of handlers, that it had no time for.
    package var leftOut = 0
}
