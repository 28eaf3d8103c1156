// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Synchronization

/// Counts of violations per plugin and rule, without a lock, so that a plugin that breaks a rule a
/// million times does not delay other threads.
final class ViolationCounts: @unchecked Sendable {
    // Sendable: `cells` is constant and points to atomics.

    enum Column: Hashable {
        case rule(ContractRule)
        /// Answers after the host's own: not a violation, but reported at the same rate.
        case lateAnswer
    }

    /// Further plugins share the last row.
    private static let pluginLimit = 1 << 12
    private static let places: [Column: Int] = Dictionary(
        uniqueKeysWithValues: zip(
            ContractRule.allCases.map(Column.rule) + [.lateAnswer], 0...))
    private static var bytes: UInt64 {
        UInt64(pluginLimit * places.count * MemoryLayout<Atomic<UInt64>>.stride)
    }

    /// Zeroed by the kernel; pages are committed on first use.
    private let cells: UnsafeMutablePointer<Atomic<UInt64>>

    init?() {
        guard let memory = csys_map(ViolationCounts.bytes) else { return nil }
        cells = memory.bindMemory(
            to: Atomic<UInt64>.self,
            capacity: ViolationCounts.pluginLimit * ViolationCounts.places.count)
    }

    deinit { csys_unmap(cells, ViolationCounts.bytes) }

    func add(_ column: Column, plugin: Int32) -> UInt64 {
        // -1 is the embedder.
        let row = min(Int(plugin) + 1, ViolationCounts.pluginLimit - 1)
        let place = ViolationCounts.places[column] ?? 0
        return (cells + row * ViolationCounts.places.count + place).pointee
            .wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Whether to report a count: the first eight, then powers of two, for a readable log.
    static func isReported(_ count: UInt64) -> Bool { count <= 8 || count.nonzeroBitCount == 1 }

    /// Returns the suffix of a line that stands for several: "; 1,024 times so far".
    static func remark(_ count: UInt64) -> String {
        guard count > 8 else { return "" }
        var digits = String(count)
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
            place -= 3
        }
        return "; \(digits) times so far"
    }
}
