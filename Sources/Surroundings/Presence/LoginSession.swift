// SPDX-License-Identifier: Apache-2.0
import Scheduling

/// A session that systemd-logind keeps, from its file in /run/systemd/sessions.
struct LoginSession {
    /// Whether it is a user's own session, not that of a login screen, a lock screen or a timer.
    let isOfUser: Bool
    let isGraphical: Bool
    /// In front, on its seat.
    let isActive: Bool
    let user: String

    private init(_ text: String) {
        var words: [Substring: Substring] = [:]
        for line in text.parts(at: "\n") {
            guard let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            words[line[..<equals]] = line[line.utf8.index(after: equals)...]
        }
        // "user-early" and the like are users', too.
        isOfUser = words["CLASS"] == "user" || words["CLASS"]?.hasPrefix("user-") == true
        isGraphical = ["x11", "wayland", "mir"].contains(words["TYPE"])
        isActive = words["ACTIVE"] == "1"
        user = Shown.text(String(words["USER"] ?? "a user"), longest: 32)
    }

    /// The maximum number of sessions that are read.
    private static let most = 1_024

    /// All there are now; nil where logind does not run.
    static func all(run: String) throws(FileFault) -> [LoginSession]? {
        // The directories of a system that is not running may have been copied with its files.
        guard (try? Directory(run + "/systemd/system").names()) != nil else { return nil }
        let directory = run + "/systemd/sessions"
        do {
            let names = try Directory(directory).names()
            // A name with a dot is that of a pipe beside the session's file.
            return try sessions(
                names.filter { !$0.utf8.contains(UInt8(ascii: ".")) }.map { "\(directory)/\($0)" })
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    private static func sessions(_ paths: [String]) throws(FileFault) -> [LoginSession] {
        var sessions: [LoginSession] = []
        for path in paths.prefix(most) {
            do {
                sessions.append(LoginSession(try TextFile(path).text()))
            } catch {
                // It ended in between.
                if !error.isMissing { throw error }
            }
        }
        return sessions
    }
}
