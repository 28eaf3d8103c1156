// SPDX-License-Identifier: Apache-2.0
import CAppHost
import Glibc

/// The host to shut down when the process ends.
struct AppHostEnding: @unchecked Sendable {
    // Sendable: any thread may use a host.
    let host: OpaquePointer
    let functions: capphost_functions
    let process: pid_t
}
