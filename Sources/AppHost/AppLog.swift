// SPDX-License-Identifier: Apache-2.0
import CAppHost
import Foundation

/// Log lines on stderr, in the format of Apple's console: date, zone, program, process, thread.
enum AppLog {
    static func write(_ level: AppLogLevel, _ text: String) {
        guard level >= .info else { return }
        let line = "\(stamp(Date())) \(program)[\(getpid()):\(gettid())] \(text)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }

    private static func gettid() -> Int { Int(capphost_thread_number()) }

    private static let program =
        CommandLine.arguments.first.flatMap { AppBundle.lastName(of: $0) } ?? "app"

    /// Returns `2026-01-31 08:24:40.648838+0100`, without a formatter, which has no microseconds.
    static func stamp(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let micro = Int((date.timeIntervalSince1970 - seconds) * 1_000_000)
        var time = time_t(seconds)
        var local = tm()
        localtime_r(&time, &local)
        let minutes = abs(local.tm_gmtoff) / 60
        let zone = [minutes / 60, minutes % 60].map { padded($0, 2) }.joined()
        let day = [local.tm_mon + 1, local.tm_mday].map { padded(Int($0), 2) }
        let clock = [local.tm_hour, local.tm_min, local.tm_sec].map { padded(Int($0), 2) }
        return "\(local.tm_year + 1900)-\(day.joined(separator: "-")) "
            + "\(clock.joined(separator: ":")).\(padded(micro, 6))\(local.tm_gmtoff < 0 ? "-" : "+")\(zone)"
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// The severity of a log line.
public enum AppLogLevel: Int32, Sendable, Comparable {
    /// For debugging.
    case debug = 0
    /// A normal event.
    case info = 1
    /// A problem; work continues.
    case warning = 2
    /// An operation failed.
    case error = 3

    public static func < (one: AppLogLevel, other: AppLogLevel) -> Bool {
        one.rawValue < other.rawValue
    }
}

/// The destination of the host's log lines, which a C function calls.
final class AppLogSink: Sendable {
    let write: @Sendable (AppLogLevel, String) -> Void

    init(_ write: @escaping @Sendable (AppLogLevel, String) -> Void) { self.write = write }
}
