// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// Work that is done two at a time: more would make each of them late on a small machine.
package enum InPairs {
    /// What came of each, in the order in which they were given.
    package static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], _ body: @Sendable (Element) -> Result
    ) -> [Result] {
        let next = Atomic<Int>(0)
        let results = Mutex<[Int: Result]>([:])
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            while true {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < elements.count else { return }
                let result = body(elements[index])
                results.withLock { $0[index] = result }
            }
        }
        return results.withLock { results in elements.indices.compactMap { results[$0] } }
    }

    /// Does all of it, and returns what went wrong with which.
    package static func faults<Element: Sendable>(
        _ elements: [Element], _ body: @Sendable (Element) throws -> Void
    ) -> [String] {
        map(elements) { element -> String? in
            do {
                try body(element)
                return nil
            } catch {
                return "\(element): \(error)"
            }
        }.compactMap(\.self)
    }
}
