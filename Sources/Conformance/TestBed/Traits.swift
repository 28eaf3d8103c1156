// SPDX-License-Identifier: Apache-2.0
import CSystem

/// The attributes of a process or of a thread at one moment.
struct Traits {
    private let all: [csys_trait]

    /// - Parameter read: `csys_process_traits`, or `csys_thread_traits` of the calling thread.
    init(_ read: (UnsafeMutablePointer<csys_trait>?) -> UInt32) {
        var traits = [csys_trait](repeating: csys_trait(), count: Int(csys_most_traits))
        let count = read(&traits)
        all = Array(traits.prefix(Int(count)))
    }

    /// Returns the differences, each worded to follow "changed".
    func changes(to now: Traits) -> [String] {
        zip(all, now.all).filter { $0.value != $1.value }.map { String(cString: $0.0.name) }
    }
}
