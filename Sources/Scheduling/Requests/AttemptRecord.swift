// SPDX-License-Identifier: Apache-2.0

/// The end of a task's log, its result, its progress and the resources it used, as the history
/// keeps them.
package struct AttemptRecord: Hashable, Sendable {
    /// The maximum size of a result that is kept, in bytes.
    package static var resultLimit: Int { 4_096 }
    /// The maximum size of a text of progress that is kept, in bytes.
    package static var progressLimit: Int { 255 }

    package var log = LogTail()
    /// The beginning of its result; "" if that is no text.
    package var result = ""
    /// The size of the whole result.
    package var resultBytes: UInt64 = 0
    /// The fraction that it reported last, from 0 to 1; nil if it reported none.
    package private(set) var progress: Double?
    package private(set) var progressText = ""
    /// Nanoseconds of processor time; 0 if they were not measured.
    package var processorTime: UInt64 = 0
    /// The resources that its program used; nil if it has none.
    package var usage: CommandUsage?
    /// The exit status of its program, or its signal's number as a negative one; nil if it has no
    /// program, or that did not end.
    package var exit: Int32?

    package init() {}

    package mutating func setProgress(_ fraction: Double, _ text: String) {
        progress = fraction
        progressText = text.cut(to: Self.progressLimit)
    }

    /// Keeps the beginning of a result.
    package mutating func setResult(_ bytes: UnsafeRawBufferPointer) {
        resultBytes = UInt64(bytes.count)
        result = String(validating: bytes, as: UTF8.self)?.cut(to: Self.resultLimit) ?? ""
    }
}
