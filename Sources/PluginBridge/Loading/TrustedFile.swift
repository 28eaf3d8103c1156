// SPDX-License-Identifier: Apache-2.0
internal import CSystem
internal import Glibc

/// A file that only root and the user of this process can have changed, opened for reading.
///
/// The path is walked as that of a plugin is; see `PluginDirectory`.
package final class TrustedFile: Sendable {
    /// Absolute, and without links.
    package let path: String
    let file: OwnedDescriptor
    let status: stat

    /// Opens a regular file.
    ///
    /// - Parameter use: what is not done with a file that others could change: "is not read".
    package convenience init(_ given: String, use: String) throws(BridgeError) {
        try self.init(given, use: use, trust: .ofThisProcess)
    }

    init(_ given: String, use: String, trust: FileTrust) throws(BridgeError) {
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
                .refused, "\(given) \(use): \(faults.map(\.text).joined(separator: "; "))")
        }
        let name = walk.path.utf8.split(separator: UInt8(ascii: "/")).last.map { String($0)! } ?? ""
        guard let file = OwnedDescriptor(csys_open_beneath(walk.directory.number, name)) else {
            throw BridgeError(
                .system, "\(given) cannot be opened: \(PluginDirectory.reason(errno))")
        }
        guard let status = file.status, status.st_mode & S_IFMT == S_IFREG else {
            throw BridgeError(.system, "\(given) is no file")
        }
        // The file may have been replaced between the walk and the opening.
        if let fault = trust.fault(of: FileFacts(walk.path, status, file), as: .file) {
            throw BridgeError(.refused, "\(given) \(use): \(fault.text)")
        }
        (path, self.file, self.status) = (walk.path, file, status)
    }

    /// Reads the whole file, which may have `limit` bytes.
    package func contents(limit: Int) throws(BridgeError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(RegularFile.Problem) {
            bytes = try RegularFile.contents(of: file.number, limit: limit)
        } catch {
            throw BridgeError(.system, "\(path) cannot be read: \(error.text); look at its disk")
        }
        guard bytes.count <= limit else {
            throw BridgeError(.tooLarge, "\(path) has more than \(limit) bytes")
        }
        return bytes
    }
}
