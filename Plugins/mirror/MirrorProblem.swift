// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An error of a mirror task, or of one entry of the tree.
struct MirrorProblem: Error, CustomStringConvertible {
    let description: String
    /// Every other entry would meet it too: a full disk, no descriptors left.
    let isGeneral: Bool

    init(_ description: String, isGeneral: Bool = false) {
        self.description = description
        self.isGeneral = isGeneral
    }

    /// A system call failed.
    init(_ action: String, _ path: String, _ error: Int32) {
        description = "could not \(action) \(path): \(String(cString: strerror(error)))"
        isGeneral = [ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE, ENOMEM].contains(error)
    }
}
