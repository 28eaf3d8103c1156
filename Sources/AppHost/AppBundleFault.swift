// SPDX-License-Identifier: Apache-2.0

/// The reason why a property list cannot be used.
struct AppBundleFault: Error {
    let words: String

    init(_ words: String) { self.words = words }
}
