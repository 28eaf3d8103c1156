// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc

/// What a plugin could change for the whole process, or for the thread that loads it, while nobody
/// looks.
enum ProcessState {
    /// Small numbers are lost where the processor was told to; an array, so that it is computed.
    private static let small = [Double.leastNormalMagnitude, 2]

    /// The same for the same state.
    static var text: String {
        """
        handlers \(handlers); mask \(mask); umask \(creationMask); rounding \(fegetround()); \
        small numbers \(small[0] / small[1] > 0); directory \(directory); nice \(csys_nice_value()); \
        limits \(limits)
        """
    }

    private static var limits: String {
        var limits = [UInt64](repeating: 0, count: 32)
        csys_resource_limits(&limits)
        return limits.map { String($0) }.joined(separator: " ")
    }

    private static var handlers: String {
        (1...64).map { number in
            var action = sigaction()
            guard sigaction(Int32(number), nil, &action) == 0 else { return "-" }
            let handler = unsafeBitCast(action.__sigaction_handler, to: UInt.self)
            return handler < 2 ? String(handler) : "f\(action.sa_flags)"
        }.joined(separator: " ")
    }

    private static var mask: String {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        return (1...64).filter { sigismember(&mask, Int32($0)) == 1 }.map { String($0) }
            .joined(separator: " ")
    }

    private static var creationMask: mode_t {
        let mask = umask(0)
        umask(mask)
        return mask
    }

    private static var directory: String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }
}
