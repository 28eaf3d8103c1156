// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

extension TemporaryDirectory {
    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: false)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path(name), withDestinationPath: target)
    }

    func makePipe(_ name: String) throws {
        guard mkfifo(path(name), 0o600) == 0 else { throw POSIXError(.EIO) }
    }
}
