// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
import PluginBridge
import Scheduling

/// The directories that a host makes for a plugin: by the XDG Base Directory Specification, and below the
/// one for temporary files.
struct PluginPlaces {
    private let environment: [String: String]
    private let plugin: String
    /// The plugin's own directory.
    private let directory: String

    /// - Parameters:
    ///   - plugin: its id.
    ///   - directory: its own.
    ///   - environment: the host's.
    init(_ plugin: String, directory: String, environment: [String: String]) {
        self.plugin = plugin
        self.directory = directory
        self.environment = environment
    }

    /// Returns the path of a place.
    func path(of place: ManifestNeeds.Place) throws(BridgeError) -> String {
        switch place {
        case .plugin: return directory
        case .state:
            return try base("XDG_STATE_HOME", "/.local/state", place) + "/curfew/plugins/" + plugin
        case .cache:
            return try base("XDG_CACHE_HOME", "/.cache", place) + "/curfew/plugins/" + plugin
        case .temporary:
            let temporary =
                environment["TMPDIR"].flatMap { $0.begins(with: "/") ? $0 : nil } ?? "/tmp"
            // One level: another user could own a directory above it.
            return "\(temporary)/curfew-\(geteuid())-\(plugin)"
        }
    }

    /// Returns the absolute path of one that may begin with a place.
    func whole(_ path: String) throws(BridgeError) -> String {
        guard let (place, rest) = ManifestNeeds.place(of: path) else { return path }
        return try self.path(of: place) + rest
    }

    private func base(
        _ variable: String, _ usual: String, _ place: ManifestNeeds.Place
    ) throws(BridgeError) -> String {
        if let named = environment[variable], named.begins(with: "/") { return named }
        if let home = environment["HOME"], home.begins(with: "/") { return home + usual }
        throw BridgeError(
            .system,
            "its manifest needs \(place.rawValue), and there is no place for it: neither \(variable) nor HOME is an absolute path"
        )
    }

    /// Makes a directory with those above it, and opens it; the caller closes it. Throws `.system` if it
    /// belongs to another user or others can write it, since another user may have made it.
    func make(_ path: String) throws(BridgeError) -> Int32 {
        var made = ""
        for part in path.parts(at: "/") {
            made += "/" + part
            mkdir(made, 0o700)
        }
        let file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            throw BridgeError(.system, "the directory \(path) cannot be made for it: \(reason)")
        }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            close(file)
            throw BridgeError(
                .system,
                "the directory \(path) is not used for it: it belongs to another user, or others can write it; remove it, or give it the mode 0700"
            )
        }
        return file
    }
}
