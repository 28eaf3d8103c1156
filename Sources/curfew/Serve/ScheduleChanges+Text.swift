// SPDX-License-Identifier: Apache-2.0
import Scheduling

extension ScheduleChanges {
    /// The number of schedules that there are then.
    var count: Int { kept + added.count + changed.count }

    private var lists: [(word: String, names: [String])] {
        [("added", added), ("changed", changed), ("removed", removed), ("over", over)]
    }

    /// `3 schedules, 1 added (tick)`
    var text: String {
        let parts = lists.filter { !$0.names.isEmpty }.map { word, names in
            "\(names.count) \(word) (\(names.prefix(5).joined(separator: ", "))\(names.count > 5 ? ", …" : ""))"
        }
        return (["\(count) schedule\(count == 1 ? "" : "s")"] + parts).joined(separator: ", ")
    }

    var members: [(key: String, value: JSONItem)] {
        lists.map { (key: $0.word, value: .list($0.names.map { .text($0) })) }
            + [(key: "kept", value: .integer(Int64(kept)))]
    }
}
