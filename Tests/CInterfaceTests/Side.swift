// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Something that runs on a thread of its own, none of the host's.
final class Side<Result: Sendable>: Sendable {
    private let result = Guarded<Result?>(nil)

    init(_ body: @escaping @Sendable () -> Result) {
        let result = result
        Thread.detachNewThread {
            let value = body()
            result.change { $0 = value }
        }
    }

    /// Whether it has ended.
    var isOver: Bool { result.now != nil }

    /// What it returned; nil when it has not ended within the limit.
    func join() -> Result? {
        _ = result.wait { $0 != nil }
        return result.now
    }
}
