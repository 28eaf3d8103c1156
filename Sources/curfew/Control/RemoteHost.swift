// SPDX-License-Identifier: Apache-2.0
import Curfew
import PluginBridge
import Scheduling

/// The host of another user, which a command asks over its socket: only that user can open the store itself.
struct RemoteHost {
    static let option = CommandOption(
        name: "socket", value: "PATH", sort: .file,
        summary: "ask the host at this socket, in place of a store: the host of another user")

    private let client: ControlClient
    /// The option by which another command asks the same host, after a blank.
    let option: String

    /// The most requests of a command.
    private static let mostRequests: UInt64 = 1_000

    /// Nil where the command works on a store. CURFEW_SOCKET names a host where nothing else says which store.
    init?(_ arguments: Arguments) throws(CommandError) {
        let isStoreNamed = arguments.has(.store) || Environment.value("CURFEW_STORE") != nil
        guard arguments.has(Self.option) || !isStoreNamed else { return nil }
        guard let path = arguments.value(Self.option) ?? Environment.value("CURFEW_SOCKET"),
            !path.isEmpty
        else { return nil }
        guard !arguments.has(.store) else {
            throw CommandError(
                .usage, "`--socket` and `--store` both say which requests are meant",
                help: ["leave one of them out"])
        }
        option = " --socket " + ShellWord.path(path)
        client = ControlClient(socket: path)
    }

    /// Refuses options that a host of another user cannot serve.
    func refuse(_ options: [CommandOption], _ arguments: Arguments) throws(CommandError) {
        guard let option = options.first(where: arguments.has) else { return }
        throw CommandError(
            .usage,
            "`--\(option.name)` is for a store of this user, and not for a host at a socket",
            notes: ["nothing was done"], help: ["leave it out"])
    }

    // MARK: Looking

    /// Prints what the host answers, as the command prints it for a store.
    func show(
        _ target: Target, _ console: Console, isJSON: Bool, isFirst: Bool = true
    ) throws(CommandError) {
        if isJSON {
            let answer = try client.call("GET", target.text, having: nil, statuses: [200])
            return console.out.line(answer.text)
        }
        var target = target
        target.add("screen", String(console.out.columns ?? 0))
        if console.out.isRich { target.add("colour", "true") }
        let answer = try client.call("GET", target.text, having: "output", statuses: [200])
        if !isFirst { console.out.line() }
        console.out.write(answer["output"]?.text ?? "")
        console.errors.write(answer["notes"]?.text ?? "")
    }

    /// Calls `body` for the requests that operands name, in their order. Of a range, those are meant that there are.
    func each(
        _ selection: RequestSelection,
        _ body: (RequestID, _ isFirst: Bool) throws(CommandError) -> Void
    ) throws(CommandError) {
        var isFirst = true
        guard selection.count <= Self.mostRequests else {
            throw CommandError(
                .usage, "over a socket a command has at most \(Self.mostRequests) requests",
                notes: ["nothing was done"], help: ["name fewer of them"])
        }
        for range in selection.ranges {
            var hasOne = false
            for number in range {
                do throws(CommandError) {
                    try body(RequestID(rawValue: number), isFirst)
                    (hasOne, isFirst) = (true, false)
                } catch {
                    guard error.code == .missing, number < range.upperBound || hasOne else {
                        throw error
                    }
                }
            }
        }
    }

    /// Changes a request, and returns it as it is then.
    func change(_ id: RequestID, _ verb: String) throws(CommandError) -> ControlAnswer {
        try client.call(
            "POST", Target("/v1/requests/\(id)/\(verb)").text, having: "id", statuses: [200])
    }

    /// Submits a request. Returns what `curfew submit --json` prints of the submission.
    func submit(_ body: JSONItem) throws(CommandError) -> ControlAnswer {
        try client.call(
            "POST", "/v1/requests", body: body.written, having: "id", statuses: [200, 201])
    }

    // MARK: Targets

    /// The target of a call.
    struct Target {
        private(set) var text: String
        private var hasQuery = false

        init(_ path: String) { text = path }

        mutating func add(_ name: String, _ value: String) {
            text += (hasQuery ? "&" : "?") + name + "=" + Self.encoded(value)
            hasQuery = true
        }

        private static func encoded(_ value: String) -> String {
            value.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"), UInt8(ascii: ","):
                    String(UnicodeScalar(byte))
                default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                }
            }.joined()
        }
    }
}
