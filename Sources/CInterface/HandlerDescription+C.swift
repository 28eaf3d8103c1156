// SPDX-License-Identifier: Apache-2.0
import CCurfew
import PluginBridge
import Scheduling

extension HandlerDescription {
    /// Reads `curfew_handler_options` of any version; a zero means the default.
    init(
        _ identifier: String, _ options: UnsafePointer<curfew_handler_options>?
    ) throws(BridgeError) {
        self.init(identifier: identifier)
        guard let options else { return }
        guard let copy = StructCopy.read(options, least: 8, zero: curfew_handler_options()) else {
            throw BridgeError(
                .invalid,
                "curfew_handler_options.struct_size is not that of any version of the struct")
        }
        guard let kind = TaskKind(rawValue: copy.kind == 0 ? 1 : copy.kind) else {
            throw BridgeError(.invalid, "\(copy.kind) is not a CURFEW_KIND_ constant")
        }
        self.init(
            identifier: identifier, kind: kind,
            budget: copy.budget_ns == 0 ? nil : copy.budget_ns,
            grace: copy.grace_ns == 0 ? nil : copy.grace_ns,
            maxConcurrency: copy.max_concurrency == 0 ? 1 : copy.max_concurrency,
            event: try copy.event.map { start throws(BridgeError) in
                try needed(start, "curfew_handler_options.event")
            })
        maxInStore = copy.max_in_store == 0 ? nil : Int(copy.max_in_store)
        if copy.on_lease_lost != 0 {
            guard let loss = LeaseLoss(rawValue: copy.on_lease_lost) else {
                throw BridgeError(
                    .invalid, "\(copy.on_lease_lost) is not a CURFEW_LEASE_LOSS_ constant")
            }
            onLeaseLost = loss
        }
        guard let list = copy.events else { return }
        var index = 0
        while let text = list[index] {
            // The limit fits a name and 16 types of at most 6 letters, each with a comma and a
            // blank.
            guard index < 64,
                let event = ForeignText.read(text, limit: 512).flatMap(EventSignature.init)
            else {
                throw BridgeError(
                    .invalid,
                    "events[\(index)] is not of the form name(type,type), with types bool, int32, int64, double, text"
                )
            }
            events.append(event)
            index += 1
        }
    }
}

extension EventSignature {
    /// Reads `name(bool,text)`; a name alone has no parameters.
    init?(_ text: String) {
        guard let open = text.unicodeScalars.firstIndex(of: "(") else {
            self.init(name: text, parameters: [])
            return
        }
        guard text.ends(with: ")") else { return nil }
        let inside = text[text.unicodeScalars.index(after: open)...].dropLast()
        var types: [EventType] = []
        for part in inside.parts(at: ",", omittingEmpty: false)
        where !inside.isEmpty {
            guard let type = EventType(name: part.filter { $0 != " " }) else { return nil }
            types.append(type)
        }
        self.init(name: String(text[..<open]), parameters: types)
    }
}
