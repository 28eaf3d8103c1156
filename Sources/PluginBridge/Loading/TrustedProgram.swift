// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A program that is open, and that only root and the host's own user can have changed.
///
/// It is executed by its descriptor, so that later changes of the path have no effect.
package final class TrustedProgram: Sendable {
    private let file: TrustedFile

    /// Absolute, and without links.
    package var path: String { file.path }
    package var descriptor: Int32 { file.file.number }

    package convenience init(_ given: String) throws(BridgeError) {
        try self.init(given, trust: .ofThisProcess)
    }

    init(_ given: String, trust: FileTrust) throws(BridgeError) {
        file = try TrustedFile(given, use: "is not run", trust: trust)
        guard file.status.st_mode & 0o111 != 0 else {
            throw BridgeError(.system, "\(given) is no program: chmod a+x \(given)")
        }
    }
}
