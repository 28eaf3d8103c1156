// SPDX-License-Identifier: Apache-2.0
import Conformance

/// Observes the work of the kit.
protocol ConformView {
    func begin(_ report: ConformReport, _ count: Int)
    func begins(_ tested: ConformanceCase)
    func ends(_ result: CaseResult)
    func end(_ report: ConformReport)
    /// Takes away what is only drawn over.
    func clear()
}
