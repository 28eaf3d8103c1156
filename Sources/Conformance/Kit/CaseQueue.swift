// SPDX-License-Identifier: Apache-2.0

/// Decides which cases run beside each other: a pure value.
///
/// A case begins once those that it needs have ended, and those before it that tell how long the examples take.
/// One that does not pass beside another may have been in its way: two copies of the plugin that want the same port, or
/// too busy a machine. It is run again alone, and only that counts.
struct CaseQueue: Sendable {
    private enum Entry {
        case waiting
        /// - Parameter isBeside: another has run at the same time.
        case running(isBeside: Bool)
        /// It is to be run again, alone.
        case again
        case ended
    }

    private let cases: [ConformanceCase]
    /// The number of cases at a time.
    private let width: Int
    private var entries: [Entry]

    init(_ cases: [ConformanceCase], width: Int) {
        self.cases = cases
        self.width = width
        entries = Array(repeating: .waiting, count: cases.count)
    }

    var isOver: Bool { entries.allSatisfy { if case .ended = $0 { true } else { false } } }

    /// Returns the index of a case that runs from now on; nil: none can until one that runs has ended.
    mutating func next() -> Int? {
        let running = entries.indices.filter {
            if case .running = entries[$0] { true } else { false }
        }
        guard running.count < width else { return nil }
        let repeated = entries.firstIndex { if case .again = $0 { true } else { false } }
        guard repeated == nil || running.isEmpty else { return nil }
        guard let index = repeated ?? entries.indices.first(where: isReady) else { return nil }
        for other in running { entries[other] = .running(isBeside: true) }
        entries[index] = .running(isBeside: !running.isEmpty)
        return index
    }

    private func isReady(_ index: Int) -> Bool {
        guard case .waiting = entries[index] else { return false }
        return entries.indices.allSatisfy { other in
            if case .ended = entries[other] { return true }
            return !cases[index].needs.contains(cases[other].name)
                && !(other < index && cases[other].tellsPace)
        }
    }

    /// A case has ended. Returns whether its verdict counts; if not, it is run again.
    mutating func end(_ index: Int, _ status: CaseStatus) -> Bool {
        guard case .running(true) = entries[index], status.isOfDoubt else {
            entries[index] = .ended
            return true
        }
        entries[index] = .again
        return false
    }
}

extension CaseStatus {
    /// Whether another case that ran at the same time may have caused it. A crash is a fault of the plugin's whatever
    /// its surroundings, and a case may take far longer than its time beside another.
    fileprivate var isOfDoubt: Bool {
        switch self {
        case .fail, .leak, .warn: true
        case .pass, .skip, .crash, .timeout: false
        }
    }
}
