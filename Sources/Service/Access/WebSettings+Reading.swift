// SPDX-License-Identifier: Apache-2.0
import PluginBridge

extension WebSettings {
    private static let keys = ["listen", "names", "metrics"]

    /// Reads the member `web` of a file, and notes its faults. What an earlier file said stays where this one says
    /// nothing.
    mutating func read(_ value: JSONValue, _ faults: ConfigurationObject.Faults) {
        guard let object = ConfigurationObject(value, "`web`", keys: Self.keys, faults) else {
            return
        }
        if let text = object.text("listen", example: "\"127.0.0.1:8700\"") {
            if let (_, port) = TCPListener.parts(of: text), port > 0 {
                listen = text
            } else {
                faults.note(
                    .value, at: object["listen"]!,
                    "`listen` is `\(ConfigurationObject.shown(text))`, and has to be an address and a port",
                    help: "write numbers: \"127.0.0.1:8700\", or \"[::1]:8700\"")
            }
        }
        if let names = object.texts("names", example: "[\"curfew.example.org\"]") {
            self.names = []
            for (value, name) in names {
                guard Self.isName(name) else {
                    faults.note(
                        .value, at: value,
                        "`\(ConfigurationObject.shown(name))` is no name of a host",
                        help: "write it as browsers show it: \"curfew.example.org\", or with a port"
                    )
                    continue
                }
                self.names.append(name.lowercased())
            }
        }
        if let isOn = object.flag("metrics") { metrics = isOn }
    }

    private static func isName(_ text: String) -> Bool {
        let permitted = Set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:[]_".utf8)
        return (1...253).contains(text.utf8.count) && text.utf8.allSatisfy(permitted.contains)
    }
}
