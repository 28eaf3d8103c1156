// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

/// The identifiers whose roll-ups a host tells apart, in the newest spans. What others do counts for the identifier "".
final class RollupNames {
    private struct Slot: Hashable {
        let span: RollupSpan
        let at: Int64
    }

    private var names: [Slot: Set<String>] = [:]
    /// Minutes of a clock that was set, and hours.
    private static let slots = 8

    func key(_ key: RollupKey) -> RollupKey {
        let slot = Slot(span: key.span, at: key.at)
        if names[slot] == nil, names.count >= Self.slots { names = [:] }
        let known = names[slot, default: []]
        if known.contains(key.identifier) { return key }
        guard known.count < StoredRollup.identifierLimit else {
            return RollupKey(key.span, "", at: key.at)
        }
        names[slot, default: []].insert(key.identifier)
        return key
    }
}
