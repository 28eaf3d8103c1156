// SPDX-License-Identifier: Apache-2.0

/// The destination of the host's log lines, which a C function calls.
final class AppLogSink: Sendable {
    let write: @Sendable (AppLogLevel, String) -> Void

    init(_ write: @escaping @Sendable (AppLogLevel, String) -> Void) { self.write = write }
}
