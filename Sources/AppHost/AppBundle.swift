// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The app's `Info.plist`.
public struct AppBundle: Sendable {
    /// The path of the property list; nil if there is none, or it could not be read.
    public let path: String?
    /// The reason why the property list could not be read; nil if it was read.
    public let fault: String?
    /// `CFBundleIdentifier`, or the name of the executable.
    public let identifier: String
    /// `BGTaskSchedulerPermittedIdentifiers`, including wildcards.
    public let permittedIdentifiers: [String]
    /// `UIBackgroundModes`.
    public let backgroundModes: Set<String>
    /// `UIApplicationSceneManifest`; nil if the app has no scenes of its own.
    package let scenes: AppSceneManifest?

    /// Reads the app's `Info.plist` from the place that the configuration names.
    init(_ configuration: AppHost.Configuration) {
        let executable = AppHost.executable
        self.init(
            path: Self.find(configuration.infoPlist, executable: executable),
            executable: executable)
    }

    /// Reads a property list. Never fails: `fault` is the reason if it cannot be used, and then
    /// nothing is permitted.
    init(path: String?, executable: String) {
        let name = Self.lastName(of: executable) ?? "app"
        var contents: [String: Any] = [:]
        var fault: String?
        if let path {
            do {
                contents = try Self.read(path)
            } catch {
                fault = "\(path) cannot be used: \(Self.words(error))"
            }
        } else {
            fault =
                "there is no Info.plist beside \(executable), and CURFEW_INFO_PLIST names none in UTF-8"
        }
        self.path = fault == nil ? path : nil
        self.fault = fault
        let declared = contents["CFBundleIdentifier"] as? String
        identifier = declared.flatMap { Self.isIdentifier($0) ? $0 : nil } ?? Self.tame(name)
        permittedIdentifiers =
            (contents["BGTaskSchedulerPermittedIdentifiers"] as? [Any])?
            .compactMap { $0 as? String } ?? []
        scenes = AppSceneManifest(contents)
        backgroundModes = Set(
            (contents["UIBackgroundModes"] as? [Any])?.compactMap { $0 as? String } ?? [])
    }

    /// Returns the bytes after the last "/", as the kernel splits paths: a combining mark after a
    /// "/" does not belong to it.
    static func lastName(of path: String) -> String? {
        path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) }
    }

    /// Returns the path of the property list: from the configuration, from the environment, or
    /// beside the executable. Nil if there is none.
    static func find(_ configured: String?, executable: String) -> String? {
        if let configured { return configured }
        // A path that is not UTF-8 is ignored: repaired, it would denote another file.
        if let named = getenv("CURFEW_INFO_PLIST"), named[0] != 0 {
            return String(validatingCString: named)
        }
        let beside = (executable as NSString).deletingLastPathComponent + "/Info.plist"
        return FileManager.default.fileExists(atPath: beside) ? beside : nil
    }

    /// The size limit of a property list; those of apps are smaller.
    private static let limit = 1 << 20

    private static func read(_ path: String) throws -> [String: Any] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw AppBundleFault("it cannot be opened")
        }
        defer { try? file.close() }
        guard let data = try file.read(upToCount: limit + 1), data.count <= limit else {
            throw AppBundleFault("it is empty, or larger than 1 MiB")
        }
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        guard let dictionary = list as? [String: Any] else {
            throw AppBundleFault("it is no dictionary")
        }
        return dictionary
    }

    private static func words(_ error: any Error) -> String {
        if let fault = error as? AppBundleFault { return fault.words }
        return "it is no property list (\(error.localizedDescription))"
    }

    /// Returns whether a bundle identifier can be the name of a directory: letters, digits, `-` and
    /// `.`, as Apple requires, and not hidden.
    private static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && !text.hasPrefix(".")
            && text.utf8.allSatisfy { isPlain($0) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func tame(_ name: String) -> String {
        let plain = String(
            decoding: name.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
        return plain.hasPrefix(".") ? "app" + plain : plain
    }

    // MARK: Permitted identifiers

    /// Returns whether an identifier is permitted. `prefix.*` matches all identifiers with a prefix
    /// that begins with the bundle identifier; as in Apple's system it is for continued processing
    /// only.
    package func permits(_ identifier: String, wildcards: Bool) -> Bool {
        permittedIdentifiers.contains { permitted in
            if permitted == identifier { return true }
            guard wildcards, permitted.hasSuffix(".*") else { return false }
            let prefix = permitted.dropLast()
            return permitted.hasPrefix(self.identifier + ".") && identifier.hasPrefix(prefix)
                && identifier.utf8.count > prefix.utf8.count
        }
    }

    /// The property list to correct, for messages.
    package var place: String { path ?? fault ?? "the Info.plist" }
}

/// The reason why a property list cannot be used.
struct AppBundleFault: Error {
    let words: String

    init(_ words: String) { self.words = words }
}
