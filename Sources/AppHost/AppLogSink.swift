// SPDX-License-Identifier: Apache-2.0

/// Where the host's lines go, behind a C function.
final class AppLogSink: Sendable {
    let write: @Sendable (AppLogLevel, String) -> Void

    init(_ write: @escaping @Sendable (AppLogLevel, String) -> Void) { self.write = write }
}
