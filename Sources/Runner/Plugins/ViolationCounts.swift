// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Synchronization

/// How often each plugin of a host has broken each rule, counted without a lock: a plugin that does
/// so a million times must not make others wait.
final class ViolationCounts: @unchecked Sendable {
    // Sendable: `cells` is constant and what it points to is atomic.

    /// What is counted for a plugin.
    enum Column: Hashable {
        case rule(Misbehaviour)
        /// Answers that came after the host's own: no violation, and reported as seldom as one.
        case lateAnswer
    }

    /// Plugins beyond so many share the last one's counts.
    private static let pluginLimit = 1 << 12
    private static let places: [Column: Int] = Dictionary(
        uniqueKeysWithValues: zip(
            Misbehaviour.allCases.map(Column.rule) + [.lateAnswer], 0...))
    private static var bytes: UInt64 {
        UInt64(pluginLimit * places.count * MemoryLayout<Atomic<UInt64>>.stride)
    }

    /// Zeroed by the kernel, and filled with pages only where something is counted.
    private let cells: UnsafeMutablePointer<Atomic<UInt64>>

    /// Fails where no address space is left.
    init?() {
        guard let memory = csys_map(ViolationCounts.bytes) else { return nil }
        cells = memory.bindMemory(
            to: Atomic<UInt64>.self,
            capacity: ViolationCounts.pluginLimit * ViolationCounts.places.count)
    }

    deinit { csys_unmap(cells, ViolationCounts.bytes) }

    /// Counts one more, and returns the how manyth it was.
    func add(_ column: Column, plugin: Int32) -> UInt64 {
        // -1 is the embedder.
        let row = min(Int(plugin) + 1, ViolationCounts.pluginLimit - 1)
        let place = ViolationCounts.places[column] ?? 0
        return (cells + row * ViolationCounts.places.count + place).pointee
            .wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The first eight are told one by one, later ones at powers of two: a log stays readable, and
    /// still says that it goes on.
    static func isReported(_ count: UInt64) -> Bool { count <= 8 || count.nonzeroBitCount == 1 }

    /// What stands behind a line that stands for many: "; 1,024 times so far".
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
