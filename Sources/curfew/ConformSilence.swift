// SPDX-License-Identifier: Apache-2.0
import Conformance

/// Nothing is shown until all is known.
struct ConformSilence: ConformView {
    func begin(_ report: ConformReport, _ count: Int) {}
    func begins(_ tested: ConformanceCase) {}
    func ends(_ result: CaseResult) {}
    func end(_ report: ConformReport) {}
    func clear() {}
}
