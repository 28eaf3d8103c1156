// SPDX-License-Identifier: Apache-2.0

/// A mode of the compiler's, as `-swift-version` takes it.
enum SwiftMode: String {
    case five = "5"
    case six = "6"
}
