// SPDX-License-Identifier: Apache-2.0
internal import Scheduling

extension ManifestChecker {
    /// Reads `needs`.
    mutating func needs(_ value: JSONValue) -> ManifestNeeds? {
        guard let fields = fields(of: .needs, in: value) else { return nil }
        var needs = ManifestNeeds()
        needs.read = fields[ManifestKey.read.name].map { paths($0, key: .read) } ?? []
        needs.write = fields[ManifestKey.write.name].map { paths($0, key: .write) } ?? []
        needs.run = fields[ManifestKey.run.name].map { paths($0, key: .run) } ?? []
        if let value = fields[ManifestKey.network.name] {
            needs.network = network(value) ?? .none
        }
        needs.memory = fields[ManifestKey.memory.name].flatMap { memory($0) }
        needs.descriptors = fields[ManifestKey.descriptors.name].flatMap {
            count($0, key: .descriptors, range: ManifestNeeds.descriptorRange)
        }
        needs.processes = fields[ManifestKey.processes.name].flatMap {
            count($0, key: .processes, range: ManifestNeeds.processRange)
        }
        needs.environment = fields[ManifestKey.variables.name].map { variables($0) } ?? []
        return needs
    }

    private mutating func list(
        _ value: JSONValue, key: ManifestKey, limit: Int
    ) -> [JSONValue] {
        guard let elements = array(value, key: key) else { return [] }
        guard elements.count <= limit else {
            fault(
                .needs, at: value,
                "`\(key.name)` has \(elements.count) elements, the limit is \(limit)",
                help: "name a directory in place of many files, or divide the plugin")
            return []
        }
        return elements
    }

    private mutating func paths(_ value: JSONValue, key: ManifestKey) -> [String] {
        list(value, key: key, limit: ManifestNeeds.pathLimit).compactMap { path($0, key: key) }
    }

    private mutating func path(_ value: JSONValue, key: ManifestKey) -> String? {
        guard let text = text(value, key: key) else { return nil }
        let shown = DiagnosticText.quoted(text)
        let rest = ManifestNeeds.place(of: text)?.rest ?? text
        let places = ManifestNeeds.Place.allCases.map(\.rawValue).joined(separator: ", ")
        let problem: String
        if text.utf8.count > ManifestNeeds.pathBytesLimit {
            problem =
                "a path has \(text.utf8.count) bytes, the limit is \(ManifestNeeds.pathBytesLimit)"
        } else if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            problem = "\(shown) has a control character in it"
        } else if !rest.isEmpty || rest == text, rest.utf8.first != UInt8(ascii: "/") {
            problem = "\(shown) is not an absolute path"
        } else if rest.parts(at: "/").contains("..") {
            problem = "\(shown) leads back up by .."
        } else {
            return text
        }
        fault(
            .needs, at: value, problem,
            help: "write an absolute path, as \"/srv\", or one that begins with \(places)")
        return nil
    }

    private mutating func network(_ value: JSONValue) -> ManifestNeeds.Network? {
        if case .bool(let isOpen) = value.kind { return isOpen ? .all : ManifestNeeds.Network.none }
        guard case .array = value.kind else {
            if value.kind == .unreadable { return nil }
            fault(
                .type, at: value,
                "`network` must be true, false or an array of ports, found \(value.noun)",
                help: "write \(ManifestKey.network.usage)")
            return nil
        }
        let elements = list(value, key: .network, limit: ManifestNeeds.portLimit)
        return .ports(elements.compactMap { port($0) })
    }

    private mutating func port(_ value: JSONValue) -> UInt16? {
        guard let text = text(value, key: .network) else { return nil }
        let digits = text.utf8.dropFirst(4)
        if text.utf8.starts(with: "tcp:".utf8), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(text.dropFirst(4)), port > 0
        {
            return port
        }
        fault(
            .needs, at: value, "\(DiagnosticText.quoted(text)) is not a port",
            help: "write tcp: and a number from 1 to 65535, as \"tcp:443\"")
        return nil
    }

    private mutating func memory(_ value: JSONValue) -> UInt64? {
        guard let text = text(value, key: .memory) else { return nil }
        if let bytes = ManifestNeeds.bytes(of: text), ManifestNeeds.memoryRange.contains(bytes) {
            return bytes
        }
        fault(
            .needs, at: value,
            "\(DiagnosticText.quoted(text)) is not an amount of memory from 64MB to 1000GB",
            help: "write a whole number and MB, GB, MiB or GiB: \(ManifestKey.memory.example)")
        return nil
    }

    private mutating func count(
        _ value: JSONValue, key: ManifestKey, range: ClosedRange<Int64>
    ) -> UInt64? {
        guard let number = integer(value, key: key) else { return nil }
        guard range.contains(number) else {
            fault(
                .needs, at: value, "`\(key.name)` is \(Self.literal(value))",
                help: "write a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return UInt64(number)
    }

    private mutating func variables(_ value: JSONValue) -> [String] {
        list(value, key: .variables, limit: ManifestNeeds.variableLimit).compactMap { variable($0) }
    }

    /// Reads the name of a variable that does not change what the loader and the C library do.
    private mutating func variable(_ value: JSONValue) -> String? {
        guard let text = text(value, key: .variables) else { return nil }
        let isName =
            !text.isEmpty && text.utf8.count <= 128
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "_")
            } && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text.utf8.first!)
        let isLoaders = ["LD_", "MALLOC_", "GLIBC_"].contains { text.begins(with: $0) }
        if isName, !isLoaders { return text }
        fault(
            .needs, at: value,
            "\(DiagnosticText.quoted(text)) "
                + (isName ? "is a variable of the loader's" : "is not the name of a variable"),
            help: isName
                ? "remove it; no plugin gets it"
                : "write letters, digits and underscores, as \(ManifestKey.variables.example)")
        return nil
    }
}
