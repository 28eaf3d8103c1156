// SPDX-License-Identifier: Apache-2.0

/// Elements of which the smallest can be taken out: a binary heap.
public struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    public init() {}

    public var isEmpty: Bool { elements.isEmpty }
    public var count: Int { elements.count }
    /// The smallest.
    public var first: Element? { elements.first }

    public mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the smallest out.
    @discardableResult
    public mutating func removeFirst() -> Element? {
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

    /// Takes out all that are as said, in no order.
    public mutating func removeAll(where isOut: (Element) -> Bool) {
        elements.removeAll(where: isOut)
        // Sorted is a heap as well.
        elements.sort()
    }

    public mutating func removeAll() { elements.removeAll(keepingCapacity: true) }
}

extension Heap: Sendable where Element: Sendable {}
