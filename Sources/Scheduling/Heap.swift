// SPDX-License-Identifier: Apache-2.0

/// A binary heap, from which the smallest element can be removed.
package struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    package init() {}

    package var isEmpty: Bool { elements.isEmpty }
    package var count: Int { elements.count }
    /// The smallest element.
    package var first: Element? { elements.first }

    package mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the smallest element.
    @discardableResult
    package mutating func removeFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return last }
        let first = elements[0]
        elements[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < elements.count else { return first }
            if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
            guard elements[child] < elements[parent] else { return first }
            elements.swapAt(child, parent)
            parent = child
        }
    }

    /// Removes all elements that match.
    package mutating func removeAll(where isOut: (Element) -> Bool) {
        elements.removeAll(where: isOut)
        // A sorted array is a heap as well.
        elements.sort()
    }

    package mutating func removeAll() { elements.removeAll(keepingCapacity: true) }
}

extension Heap: Sendable where Element: Sendable {}
