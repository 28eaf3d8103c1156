// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file descriptor that is closed when the last reference to it goes.
package final class OwnedDescriptor: Sendable {
    package let number: Int32

    /// Nil for what a failed call returns; errno is left alone.
    package init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { close(number) }

    /// The file's status, or nil with errno.
    var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }
}
