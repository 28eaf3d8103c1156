// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Lets the process map only so much more memory than it has, until it is lifted.
final class AddressSpaceLimit {
    private var before = rlimit()

    /// Nil: the system does not say how much there is.
    init?(room: UInt64) {
        var text = [UInt8](repeating: 0, count: 64)
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        let count = read(file, &text, text.count)
        close(file)
        let words = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(
            separator: " ")
        guard let pages = words.first.flatMap({ UInt64($0) }),
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before) == 0
        else { return nil }
        var limit = before
        limit.rlim_cur = rlim_t(pages) * rlim_t(getpagesize()) + rlim_t(room)
        setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }

    deinit { lift() }

    func lift() { setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &before) }
}
