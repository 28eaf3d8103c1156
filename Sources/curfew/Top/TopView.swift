// SPDX-License-Identifier: Apache-2.0
import CSystem
import PluginBridge
import Scheduling

/// The screen of `curfew top`, which a person uses with keys.
final class TopView {
    /// What is shown besides the lists.
    private enum Pane {
        case lists
        case text([String], from: Int)
        /// A question, and what is done if the answer is y.
        case question(String, () throws(CommandError) -> String)
    }

    private let client: ControlClient
    private let terminal: TopTerminal
    private let interval: UInt64
    private var snapshot: TopSnapshot
    private var pane = Pane.lists
    /// The request or the handler that is chosen, so that it stays so when lines move.
    private var chosen: (request: UInt64?, identifier: String)?
    /// What the last key has done; or why the host does not answer.
    private var news: TopLine?
    private var isPaused = false

    /// - Parameter interval: nanoseconds between two looks.
    init(
        _ client: ControlClient, _ terminal: TopTerminal, _ first: TopSnapshot, interval: UInt64
    ) {
        (self.client, self.terminal, self.snapshot, self.interval) = (
            client, terminal, first, interval
        )
    }

    static let keys: [(term: String, text: String)] = [
        ("up, down, j, k", "choose a line"),
        ("enter, w", "show why the request does not run, or did not"),
        ("c", "cancel the request, after a question"),
        ("r", "retry a request that is over"),
        ("l", "launch a pending request now"),
        ("p", "pause its handler, or resume it"),
        ("space", "stop looking, and go on"),
        ("?", "show these keys"),
        ("q", "leave"),
    ]

    /// Runs until a person leaves, or the program is to end.
    ///
    /// - Parameter stop: a descriptor that is readable then.
    func run(stop: Int32) {
        var nextLook = csys_monotonic_ns() &+ interval
        while true {
            draw()
            let now = csys_monotonic_ns()
            let wait = nextLook > now ? (nextLook - now) / 1_000_000 + 1 : 0
            switch terminal.next(stop: stop, within: Int32(clamping: wait)) {
            case .stop: return
            case .nothing:
                if !isPaused { look() }
                nextLook = csys_monotonic_ns() &+ interval
            case .size: break
            case let input:
                if !handle(input) { return }
            }
        }
    }

    private func look() {
        do throws(CommandError) {
            snapshot = try TopSnapshot(client)
            if isSilent { news = nil }
            isSilent = false
        } catch {
            isSilent = true
            news = TopLine("\(error.message); trying again", .bad)
        }
    }

    private var isSilent = false

    // MARK: Drawing

    private func draw() {
        let (rows, columns) = terminal.size
        switch pane {
        case .text(let lines, let first):
            let shown = lines.dropFirst(first).prefix(max(1, rows - 1)).map { TopLine($0) }
            let more = lines.count - first - shown.count
            terminal.show(
                Array(shown), chosen: nil,
                bottom: TopLine(
                    more > 0
                        ? "\(more) more lines; any other key leads back" : "any key leads back",
                    .faint))
        case .question(let text, _):
            terminal.show(
                lines(rows, columns), chosen: nil, bottom: TopLine(text + " (y/n)", .warning))
        case .lists:
            let lines = lines(rows, columns)
            terminal.show(
                lines, chosen: place(in: lines),
                bottom: news
                    ?? TopLine(
                        "enter why  c cancel  r retry  l launch  p pause  ? keys  q leave"
                            + (isPaused ? "   (does not look; space goes on)" : ""), .faint))
        }
    }

    private func lines(_ rows: Int, _ columns: Int) -> [TopLine] {
        TopScreen(snapshot, columns: columns - 1).lines(rows: rows - 1)
    }

    private func place(in lines: [TopLine]) -> Int? {
        guard let chosen else { return nil }
        return lines.firstIndex {
            $0.isChoosable && $0.request == chosen.request && $0.identifier == chosen.identifier
        }
    }

    // MARK: Keys

    /// Returns false if the person leaves.
    private func handle(_ input: TopTerminal.Input) -> Bool {
        switch pane {
        case .lists: return handleInLists(input)
        case .text(let lines, let first):
            let page = max(1, terminal.size.rows - 2)
            let last = max(0, lines.count - page)
            switch input {
            case .down, .character("j"): pane = .text(lines, from: min(last, first + 1))
            case .up, .character("k"): pane = .text(lines, from: max(0, first - 1))
            case .pageDown, .character(" "): pane = .text(lines, from: min(last, first + page))
            case .pageUp: pane = .text(lines, from: max(0, first - page))
            default: pane = .lists
            }
        case .question(_, let action):
            pane = .lists
            guard input == .character("y") else {
                news = TopLine("nothing was done", .faint)
                break
            }
            act(action)
        }
        return true
    }

    private func handleInLists(_ input: TopTerminal.Input) -> Bool {
        if !isSilent { news = nil }
        switch input {
        case .character("q"), .escape: return false
        case .up, .character("k"): move(by: -1)
        case .down, .character("j"): move(by: 1)
        case .pageUp: move(by: -10)
        case .pageDown: move(by: 10)
        case .home: move(by: -1_000)
        case .end: move(by: 1_000)
        case .enter, .character("w"): showWhy()
        case .character("?"): showKeys()
        case .character(" "): isPaused.toggle()
        case .character("c"):
            withRequest { client, id in
                pane = .question("cancel request \(id)?") { () throws(CommandError) in
                    _ = try client.call("POST", "/v1/requests/\(id)/cancel", having: "id")
                    return "request \(id) is cancelled"
                }
            }
        case .character("r"): change("retry", "is pending again")
        case .character("l"): change("launch", "is due now")
        case .character("p"): pause()
        default: break
        }
        return true
    }

    private func move(by count: Int) {
        let (rows, columns) = terminal.size
        let lines = lines(rows, columns)
        let places = lines.indices.filter { lines[$0].isChoosable }
        guard !places.isEmpty else { return }
        let now = place(in: lines).flatMap { places.firstIndex(of: $0) }
        let next =
            now.map { min(max(0, $0 + count), places.count - 1) }
            ?? (count > 0 ? 0 : places.count - 1)
        let line = lines[places[next]]
        chosen = (line.request, line.identifier)
    }

    private func withRequest(_ body: (ControlClient, UInt64) -> Void) {
        guard let id = chosen?.request else {
            news = TopLine("choose a request first, with the arrow keys", .warning)
            return
        }
        body(client, id)
    }

    private func change(_ action: String, _ done: String) {
        withRequest { client, id in
            act { () throws(CommandError) in
                _ = try client.call("POST", "/v1/requests/\(id)/\(action)", having: "id")
                return "request \(id) \(done)"
            }
        }
    }

    private func pause() {
        guard let identifier = chosen?.identifier, !identifier.isEmpty else {
            news = TopLine("choose a line first, with the arrow keys", .warning)
            return
        }
        act { [client] () throws(CommandError) in
            let handlers = try client.call("GET", "/v1/handlers", having: "handlers")
            let own = handlers["handlers"]?.items.first { $0["identifier"]?.text == identifier }
            guard let own else {
                throw CommandError(.missing, "the host has no handler \(identifier)")
            }
            let isPaused = if case .bool(true)? = own["paused"]?.kind { true } else { false }
            let action = isPaused ? "resume" : "pause"
            _ = try client.call(
                "POST", "/v1/handlers/\(identifier)/\(action)", having: "identifier")
            return isPaused
                ? "\(identifier) is launched again"
                : "\(identifier) is not launched until somebody resumes it, or the host ends"
        }
    }

    private func act(_ action: () throws(CommandError) -> String) {
        do throws(CommandError) {
            news = TopLine(Shown.line(try action()), .good)
            look()
        } catch {
            news = TopLine(Shown.line(error.message), .bad)
        }
    }

    private func showWhy() {
        withRequest { client, id in
            let columns = terminal.size.columns - 1
            do throws(CommandError) {
                var text = ""
                for part in ["", "/why", "/history"] {
                    let answer = try client.call(
                        "GET", "/v1/requests/\(id)\(part)?screen=\(columns)", having: "output")
                    text += (text.isEmpty ? "" : "\n") + (answer["output"]?.text ?? "")
                }
                pane = .text(text.parts(at: "\n", omittingEmpty: false).map(String.init), from: 0)
            } catch {
                news = TopLine(Shown.line(error.message), .bad)
            }
        }
    }

    private func showKeys() {
        let width = Self.keys.map { $0.term.count }.max() ?? 0
        pane = .text(Self.keys.map { "\(Shown.padded($0.term, width))  \($0.text)" }, from: 0)
    }
}
