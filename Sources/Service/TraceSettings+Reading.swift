// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

extension TraceSettings {
    private static let keys = ["endpoint", "headers", "service"]

    /// Reads the member `traces` of a file, and notes its faults. Nil if it has one.
    init?(_ value: JSONValue, _ faults: ConfigurationObject.Faults) {
        guard let object = ConfigurationObject(value, "`traces`", keys: Self.keys, faults) else {
            return nil
        }
        guard let endpoint = object.text("endpoint", example: "\"http://127.0.0.1:4318/v1/traces\"")
        else {
            if object["endpoint"] == nil {
                object.missing("endpoint", help: "write \"http://127.0.0.1:4318/v1/traces\"")
            }
            return nil
        }
        let isAddress =
            ["http://", "https://"].contains { endpoint.begins(with: $0) && endpoint != $0 }
            && endpoint.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isAddress else {
            faults.note(
                .value, at: object["endpoint"]!,
                "`endpoint` is `\(ConfigurationObject.shown(endpoint))`, which is no address over HTTP",
                help: "write \"http://127.0.0.1:4318/v1/traces\"")
            return nil
        }
        self.init(endpoint: endpoint)
        if let service = object.text("service", example: "\"curfew\"") { self.service = service }
        for (name, value) in (object.variables("headers") ?? [:]).sorted(by: { $0.key < $1.key }) {
            let isPlain = (name + value).utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
            guard isPlain, !name.isEmpty, !name.utf8.contains(UInt8(ascii: ":")) else {
                faults.note(
                    .value, at: object["headers"]!, "`headers` has one that is no header line",
                    help: "write {\"Authorization\": \"Bearer …\"}")
                continue
            }
            headers.append("\(name): \(value)")
        }
    }
}
