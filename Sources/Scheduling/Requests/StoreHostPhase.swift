// SPDX-License-Identifier: Apache-2.0

/// The state of a host of a store.
package enum StoreHostPhase: Int32, Sendable, CaseIterable, KebabCased {
    /// It launches requests.
    case works = 1
    /// A person has drained it: it launches nothing more.
    case drained = 2
    /// Its machine is about to sleep or to be shut down.
    case leaving = 3
    /// It was silent for its whole lease, so that others take its requests over.
    case silent = 4

    /// - Parameters:
    ///   - record: what the store says of it; nil if only a lock says that it is there.
    ///   - report: what it last wrote of itself.
    package init(_ record: HostRecord?, _ report: HostReport?) {
        self =
            if record?.isSilent == true {
                .silent
            } else if record?.isDrained == true || report?.drainedSince != nil {
                .drained
            } else if report?.leavingSince != nil {
                .leaving
            } else {
                .works
            }
    }
}
