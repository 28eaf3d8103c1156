// SPDX-License-Identifier: Apache-2.0

/// A closure of the app's that crosses threads as Apple's does: its type says nothing about threads,
/// and so code for Apple's framework compiles unchanged, in Swift 5 and in Swift 6.
struct AppClosure<Input>: @unchecked Sendable {
    // Sendable: as in Apple's framework it is the app that knows where its closures may run.
    let body: (Input) -> Void

    init(_ body: @escaping (Input) -> Void) { self.body = body }
}

/// A closure that crosses threads as Apple's does.
struct ExpirationHandler: @unchecked Sendable {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}
