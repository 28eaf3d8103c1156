// SPDX-License-Identifier: Apache-2.0

/// Why a test cannot go on, in words.
package struct TestFault: Error, CustomStringConvertible {
    package let text: String
    package var description: String { text }

    package init(text: String) { self.text = text }
}
