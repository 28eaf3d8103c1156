// SPDX-License-Identifier: Apache-2.0
import AppHost
import CurfewValues
import Foundation

/// The progress of a continued task: changes are passed on at once. The progress of its children is
/// polled, since a subclass is not notified of it.
final class TaskProgress: Progress, @unchecked Sendable {
    // Sendable: as Progress is said to be.

    private let changed = Callback<Void>()

    init() { super.init(parent: nil, userInfo: nil) }

    func whenChanged(_ body: @escaping @Sendable () -> Void) { changed.set(body) }

    override var completedUnitCount: Int64 {
        didSet { changed() }
    }

    override var totalUnitCount: Int64 {
        didSet { changed() }
    }
}
