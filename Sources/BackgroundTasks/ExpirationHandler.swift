// SPDX-License-Identifier: Apache-2.0

/// A closure that crosses threads as Apple's does.
struct ExpirationHandler: @unchecked Sendable {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}
