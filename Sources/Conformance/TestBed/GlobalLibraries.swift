// SPDX-License-Identifier: Apache-2.0
import CSystem

/// The libraries of this process whose symbols every library sees that is loaded later, at one moment.
struct GlobalLibraries {
    private let paths: Set<String>

    init() {
        var paths: Set<String> = []
        withUnsafeMutablePointer(to: &paths) { paths in
            csys_each_global_library(paths) { paths, path in
                guard let paths, let path else { return }
                paths.assumingMemoryBound(to: Set<String>.self).pointee.insert(
                    String(cString: path))
            }
        }
        self.paths = paths
    }

    /// Returns the paths of those that were added, in their order.
    func added(by now: GlobalLibraries) -> [String] { now.paths.subtracting(paths).sorted() }
}
