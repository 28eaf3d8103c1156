// SPDX-License-Identifier: Apache-2.0

/// A thread's role in a host: a `CURFEW_THREAD_` constant.
enum ThreadRole: UInt64 {
    case other = 0
    case loading = 1
    case worker = 2
    case deadline = 3
    case loop = 4
    /// Inside the embedder's log function.
    case logging = 5
}
