// SPDX-License-Identifier: Apache-2.0

/// Something that cannot be read as lines of the source documents.
struct SourceLineFault: Error, CustomStringConvertible {
    let text: String

    var description: String { text }
}
