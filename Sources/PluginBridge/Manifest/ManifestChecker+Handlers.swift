// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

extension ManifestChecker {
    mutating func handlers(_ value: JSONValue) -> [ManifestHandler] {
        guard let elements = array(value, key: .handlers) else { return [] }
        guard (1...Manifest.handlerLimit).contains(elements.count) else {
            fault(
                .handlers, at: value,
                "`handlers` has \(elements.count) elements, expected 1 to \(Manifest.handlerLimit)",
                help: elements.isEmpty
                    ? "write \(ManifestKey.handlers.usage)" : "divide the plugin into several")
            return []
        }
        // All names of the host's events first: a handler's own events must keep clear of them,
        // those of later handlers included.
        var names = ManifestNames()
        let drafts = elements.map { draft($0, names: &names) }
        return zip(elements, drafts).compactMap { handler($0, draft: $1, names: &names) }
    }

    /// The parts of a handler that the first pass has read.
    private struct Draft {
        let fields: ManifestFields
        let identifier: String?
        let event: String?
    }

    private mutating func draft(_ value: JSONValue, names: inout ManifestNames) -> Draft? {
        guard let fields = fields(of: .handler, in: value) else { return nil }
        let place = fields[ManifestKey.identifier.name]
        let identifier = place.flatMap { self.identifier($0, key: .identifier) }
        if let place, let identifier, let first = names.declare(identifier, at: place.position) {
            fault(
                .duplicateIdentifier, at: place,
                "the identifier \(DiagnosticText.quoted(identifier)) is declared twice; the first"
                    + " is at line \(first.line), column \(first.column)",
                help: "give each handler an identifier of its own")
            return Draft(fields: fields, identifier: identifier, event: nil)
        }
        let event: String?
        let eventPlace: JSONValue?
        if let written = fields[ManifestKey.event.name] {
            (event, eventPlace) = (self.event(written), written)
        } else {
            (event, eventPlace) = (place.flatMap { defaultEvent(identifier, at: $0) }, place)
        }
        if let event, let eventPlace { claim(event, at: eventPlace, names: &names) }
        return Draft(fields: fields, identifier: identifier, event: event)
    }

    private mutating func handler(
        _ value: JSONValue, draft: Draft?, names: inout ManifestNames
    ) -> ManifestHandler? {
        guard let draft else { return nil }
        let fields = draft.fields
        let kind = fields[ManifestKey.kind.name].flatMap { self.kind($0) }
        let budget = fields[ManifestKey.budget.name].map {
            duration($0, key: .budget, range: Manifest.budgetRange)
        }
        let grace = fields[ManifestKey.grace.name].map {
            duration($0, key: .grace, range: Manifest.graceRange)
        }
        let concurrency = fields[ManifestKey.maxConcurrency.name].map {
            count($0, key: .maxConcurrency, range: Manifest.concurrencyRange)
        }
        let inStore = fields[ManifestKey.maxInStore.name].map {
            count($0, key: .maxInStore, range: Manifest.storeRange)
        }
        let onLeaseLost = fields[ManifestKey.onLeaseLost.name].map { leaseLoss($0) }
        let events = fields[ManifestKey.events.name].map { self.events($0, names: &names) } ?? []
        let requires = fields[ManifestKey.requires.name].map { requirements($0) }
        let form = fields[ManifestKey.form.name].map { self.form($0) }
        let call = self.call(fields, form: form ?? .entry, of: value)
        let command = self.command(fields, form: form ?? .entry, of: value)
        let isolation = fields[ManifestKey.isolation.name].map { self.isolation($0) }
        let examples = fields[ManifestKey.examples.name].map { self.examples($0) }

        // A missing value has its default; a wrong value is a noted fault, and the handler is never
        // used.
        guard let identifier = draft.identifier, let event = draft.event, let kind,
            let budget = budget ?? kind.defaultBudget, let grace = grace ?? TaskKind.defaultGrace,
            let concurrency = concurrency ?? 1, let form = form ?? .entry,
            let isolation = isolation ?? .thread, let onLeaseLost = onLeaseLost ?? .stop,
            form != .call || call != nil,
            form != .command || command != nil
        else { return nil }
        let place = fields[ManifestKey.identifier.name]?.position ?? value.position
        return ManifestHandler(
            identifier: identifier, kind: kind, budget: budget, grace: grace,
            maxConcurrency: concurrency, event: event, events: events.map(\.signature),
            requires: requires ?? [], form: form, call: call, command: command,
            isolation: isolation, maxInStore: inStore ?? nil, onLeaseLost: onLeaseLost,
            examples: examples ?? [],
            position: value.position, identifierPosition: place,
            eventPosition: fields[ManifestKey.event.name]?.position ?? place,
            eventPositions: events.map(\.position))
    }

    private static let kinds = TaskKind.allCases.map(\.name)
    private static let requirements = ManifestRequirement.allCases.map(\.rawValue)

    private mutating func kind(_ value: JSONValue) -> TaskKind? {
        word(value, key: .kind, rule: .kind, among: Self.kinds).flatMap { TaskKind(name: $0) }
    }

    /// Reads text that must be one of a few words.
    mutating func word(
        _ value: JSONValue, key: ManifestKey, rule: ManifestRule, among words: [String]
    ) -> String? {
        guard let text = text(value, key: key) else { return nil }
        if let word = words.first(where: { ManifestFields.isSame(text, $0) }) { return word }
        let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
        fault(
            rule, at: value,
            "`\(key.name)` has no value \(DiagnosticText.quoted(text))",
            help: ManifestSpelling.nearest(to: text, among: words).map { "write \"\($0)\"" }
                ?? "write one of \(list)")
        return nil
    }

    private mutating func duration(
        _ value: JSONValue, key: ManifestKey, range: ClosedRange<UInt64>
    ) -> UInt64? {
        if case .number = value.kind {
            let number = Self.literal(value)
            let meant = ManifestDuration.parse(number + "s").flatMap {
                range.contains($0) ? "\"\(number)s\"" : nil
            }
            fault(
                .duration, at: value, "`\(key.name)` is a number without a unit",
                help: "write \(meant ?? key.example), in quotes and with ms, s, min or h")
            return nil
        }
        guard let text = text(value, key: key) else { return nil }
        guard let nanoseconds = ManifestDuration.parse(text) else {
            let meant = ManifestDuration.suggestion(for: text, in: range)
            fault(
                .duration, at: value, "\(DiagnosticText.quoted(text)) is not a duration",
                help: meant.map { "write \"\($0)\"" }
                    ?? "write a number and a unit: \"250ms\", \"30s\", \"10min\", \"1h\"")
            return nil
        }
        guard range.contains(nanoseconds) else {
            fault(
                .duration, at: value,
                "`\(key.name)` is \(DiagnosticText.quoted(text)), which is"
                    + " \(nanoseconds < range.lowerBound ? "too short" : "too long")",
                help: "write at least \(ManifestDuration.text(range.lowerBound)) and at most"
                    + " \(ManifestDuration.text(range.upperBound))")
            return nil
        }
        return nanoseconds
    }

    private mutating func count(
        _ value: JSONValue, key: ManifestKey, range: ClosedRange<Int64>
    ) -> Int? {
        guard let number = integer(value, key: key) else { return nil }
        guard range.contains(number) else {
            fault(
                .concurrency, at: value, "`\(key.name)` is \(Self.literal(value))",
                help: "write a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return Int(number)
    }

    private mutating func requirements(_ value: JSONValue) -> Set<ManifestRequirement> {
        var found: [ManifestRequirement: JSONPosition] = [:]
        for element in array(value, key: .requires) ?? [] {
            guard
                let name = word(
                    element, key: .requires, rule: .requirement, among: Self.requirements),
                let requirement = ManifestRequirement(rawValue: name)
            else { continue }
            if let first = found[requirement] {
                fault(
                    .requirement, at: element,
                    "`\(name)` is required twice; the first is at line \(first.line), column"
                        + " \(first.column)",
                    help: "keep one of the two")
            } else {
                found[requirement] = element.position
            }
        }
        return Set(found.keys)
    }

    private mutating func form(_ value: JSONValue) -> ManifestForm? {
        let names = ManifestForm.allCases.map(\.rawValue)
        guard let name = word(value, key: .form, rule: .form, among: names),
            let form = ManifestForm(rawValue: name)
        else { return nil }
        return form
    }

    private mutating func leaseLoss(_ value: JSONValue) -> LeaseLoss? {
        let names = LeaseLoss.allCases.map(\.name)
        return word(value, key: .onLeaseLost, rule: .lease, among: names)
            .flatMap { LeaseLoss(name: $0) }
    }

    private mutating func isolation(_ value: JSONValue) -> Isolation? {
        let names = Isolation.allCases.map(\.name)
        return word(value, key: .isolation, rule: .isolation, among: names)
            .flatMap { Isolation(name: $0) }
    }
}
