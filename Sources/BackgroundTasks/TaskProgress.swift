// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The progress of a continued task: what it is set to is passed on at once. What its children do is
/// looked at now and then, since a subclass is not told.
final class TaskProgress: Progress, @unchecked Sendable {
    // Sendable: as Progress is said to be.

    private let changed: @Sendable () -> Void

    init(_ changed: @escaping @Sendable () -> Void) {
        self.changed = changed
        super.init(parent: nil, userInfo: nil)
    }

    override var completedUnitCount: Int64 {
        didSet { changed() }
    }

    override var totalUnitCount: Int64 {
        didSet { changed() }
    }
}
