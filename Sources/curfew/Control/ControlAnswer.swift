// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// The answer of a host to a call: a status, and JSON.
struct ControlAnswer {
    let status: Int
    /// The JSON as it came, without the line feed at its end.
    let text: String
    private let value: JSONValue

    /// Reads what came on a connection; nil if it is no whole answer with JSON.
    init?(_ bytes: [UInt8]) {
        let blank = Array("\r\n\r\n".utf8)
        let end = bytes.indices.first { bytes[$0...].starts(with: blank) }
        guard let end else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).parts(at: "\n")
        let body = Array(bytes[(end + blank.count)...])
        guard let words = lines.first?.parts(at: " "), words.count >= 2, words[0] == "HTTP/1.1",
            let status = Int(words[1]),
            let length = lines.dropFirst().lazy.compactMap(Self.length).first, length == body.count
        else { return nil }
        do throws(Diagnostic) {
            value = try JSONReader.read(body, file: "the answer")
        } catch {
            return nil
        }
        self.status = status
        text = String(
            decoding: body.last == UInt8(ascii: "\n") ? body.dropLast() : body[...], as: UTF8.self)
    }

    private static func length(_ line: Substring) -> Int? {
        let name = "content-length:"
        guard line.lowercased().begins(with: name) else { return nil }
        return Int(line.dropFirst(name.count).filter { $0 != " " && $0 != "\r" })
    }

    // MARK: Members

    subscript(_ key: String) -> JSONValue? { value[key] }

    /// The error that it tells of.
    var error: CommandError {
        let error = value["error"]
        let code: ExitCode =
            switch error?["code"]?.text == "stopping" ? 0 : status {
            case 403: .denied
            case 404: .missing
            case 409: .conflict
            case 422: .faults
            case 503, 507: .storeUnavailable
            default: .host
            }
        return CommandError(
            code, error?["message"]?.text ?? "the host answered with status \(status)",
            help: error?["help"]?.items.compactMap(\.text) ?? [])
    }
}

extension JSONValue {
    /// The value of an object's member; nil if there is none.
    subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = kind else { return nil }
        return members.first { $0.key == key }?.value
    }

    var text: String? {
        guard case .string(let text) = kind else { return nil }
        return text
    }

    /// The values of an array.
    var items: [JSONValue] {
        guard case .array(let items) = kind else { return [] }
        return items
    }

    var number: Double? {
        guard case .number(let number) = kind else { return nil }
        return number.double
    }

    /// A whole number's digits.
    var digits: String? {
        guard case .number(let number) = kind else { return nil }
        return number.literal
    }
}
