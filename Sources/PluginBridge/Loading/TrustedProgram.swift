// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// A program that is open, and that only root and the host's own user can have changed.
///
/// It is executed by its descriptor, so that later changes of the path have no effect.
package final class TrustedProgram: Sendable {
    /// Absolute, and without links.
    package let path: String
    private let file: OwnedDescriptor

    package var descriptor: Int32 { file.number }

    package convenience init(_ given: String) throws(BridgeError) {
        try self.init(given, trust: .ofThisProcess)
    }

    init(_ given: String, trust: FileTrust) throws(BridgeError) {
        let walk: PathWalk
        do throws(PathWalk.Failure) {
            walk = try PathWalk(given, to: .file)
        } catch {
            throw BridgeError(
                .system, "\(given) cannot be opened: \(error.path): \(error.reason)")
        }
        let faults = walk.faults(trust, end: .file)
        guard faults.isEmpty else {
            throw BridgeError(
                .refused, "\(given) is not run: \(faults.map(\.text).joined(separator: "; "))")
        }
        let name = walk.path.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0)! } ?? ""
        guard let file = OwnedDescriptor(csys_open_beneath(walk.directory.number, name)) else {
            throw BridgeError(
                .system, "\(given) cannot be opened: \(PluginDirectory.reason(errno))")
        }
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG,
            status.st_mode & 0o111 != 0
        else {
            throw BridgeError(.system, "\(given) is no program: chmod a+x \(given)")
        }
        // What was opened may be another file than the one that the walk saw.
        if let fault = trust.fault(of: FileFacts(walk.path, status, file), as: .file) {
            throw BridgeError(.refused, "\(given) is not run: \(fault.text)")
        }
        (path, self.file) = (walk.path, file)
    }
}
