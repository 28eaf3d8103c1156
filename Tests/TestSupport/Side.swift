// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Something that runs on a thread of its own, none of the host's.
package final class Side<Result: Sendable>: Sendable {
    private let result = Guarded<Result?>(nil)

    package init(_ body: @escaping @Sendable () -> Result) {
        let result = result
        Thread.detachNewThread {
            let value = body()
            result.change { $0 = value }
        }
    }

    /// Whether it has ended.
    package var isOver: Bool { result.value != nil }

    /// Returns the result; nil when the body has not ended within the limit.
    package func join() -> Result? {
        _ = result.wait { $0 != nil }
        return result.value
    }
}
