// SPDX-License-Identifier: Apache-2.0
internal import Glibc
import PluginBridge
import Scheduling

/// An app that can be started when one of its requests is due: what it has written down of itself.
///
/// `{"app": "org.example.errand", "store": "/home/me/.local/state/org.example.errand/requests",
/// "executable": "/home/me/bin/errand", "arguments": [], "environment": {"XDG_STATE_HOME": "…"}}`; the last two are
/// optional. What it says is untrusted: any program of the user can write one.
package struct AppFile: Hashable, Sendable {
    /// The identifier of its bundle, which is also the name of the file.
    package let app: String
    /// The directory of its store.
    package let store: String
    package let executable: String
    package let arguments: [String]
    package let environment: [String: String]

    /// The variables that it may set: all of what decides where an app finds its store and its property list.
    private static let variables = ["XDG_STATE_HOME", "CURFEW_INFO_PLIST", "HOME"]
    private static let keys = ["app", "store", "executable", "arguments", "environment"]
    /// The size of the largest file that is read, in bytes, and the most files.
    private static let (sizeLimit, countLimit) = (16_384, 10_000)
    private static let suffix = ".json"

    /// Returns the directory of these files: `curfew/apps` in the directory for states of a user's programs. Nil if
    /// the environment does not name one.
    package static func directory(environment: (String) -> String?) -> String? {
        if let place = environment("XDG_STATE_HOME"), place.begins(with: "/") {
            return place + "/curfew/apps"
        }
        guard let home = environment("HOME"), home.begins(with: "/") else { return nil }
        return home + "/.local/state/curfew/apps"
    }

    /// Reads the files of a directory, each with what it says or what is wrong with it: lower case, no full stop. Of
    /// apps with one store the first counts. Those beyond the first 10,000 are left out, with a fault each.
    package static func all(
        in directory: String
    ) -> [(name: String, file: Result<AppFile, Fault>)] {
        let names = PluginDirectory.names(in: directory).filter {
            $0.ends(with: suffix) && !$0.begins(with: ".")
        }
        var owners: [String: String] = [:]
        var files: [(name: String, file: Result<AppFile, Fault>)] = []
        for (index, name) in names.sorted().enumerated() {
            let app = String(name.utf8.dropLast(suffix.utf8.count)) ?? ""
            let path = directory + "/" + name
            do throws(Fault) {
                guard index < countLimit else {
                    throw Fault("there are more than \(countLimit) apps before it")
                }
                let file = try AppFile(app, path)
                let store = realpath(file.store, nil)
                defer { free(store) }
                let place = store.map { String(cString: $0) } ?? file.store
                if let owner = owners[place] { throw Fault("its store is that of \(owner)") }
                owners[place] = app
                files.append((app, .success(file)))
            } catch {
                // It was removed meanwhile.
                if access(path, F_OK) != 0, errno == ENOENT { continue }
                files.append((app, .failure(error)))
            }
        }
        return files
    }

    package struct Fault: Error, Hashable {
        package let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    private init(_ name: String, _ path: String) throws(Fault) {
        let bytes: [UInt8]
        do throws(BridgeError) {
            bytes = try TrustedFile(path, use: "is not read").contents(limit: Self.sizeLimit)
        } catch {
            throw Fault(error.message)
        }
        let source = DiagnosticSource(file: path, bytes: bytes)
        let (document, unreadable) = JSONReader.readAll(source)
        let faults = ConfigurationObject.Faults(source, unreadable)
        let object = document.flatMap {
            ConfigurationObject($0, "an app", keys: Self.keys, faults)
        }
        app = object?.text("app", example: "\"org.example.errand\"") ?? ""
        store = object?.text("store", example: "\"/home/me/.local/state/errand/requests\"") ?? ""
        executable = object?.text("executable", example: "\"/usr/bin/errand\"") ?? ""
        arguments = object?.texts("arguments", example: "[]")?.map(\.text) ?? []
        environment = Self.environment(object?["environment"], faults)
        if let fault = faults.all.first {
            let place = fault.line > 0 ? ":\(fault.line):\(fault.column)" : ""
            throw Fault("\(path)\(place): \(fault.message)")
        }
        guard app == name, !app.isEmpty else { throw Fault("\(path) is not the file of `\(app)`") }
        guard store.begins(with: "/"), executable.begins(with: "/") else {
            throw Fault("\(path): `store` and `executable` have to be absolute paths")
        }
    }

    private static func environment(
        _ value: JSONValue?, _ faults: ConfigurationObject.Faults
    ) -> [String: String] {
        guard let value,
            let object = ConfigurationObject(value, "`environment`", keys: variables, faults)
        else { return [:] }
        var environment: [String: String] = [:]
        for name in variables {
            if let text = object.text(name, example: "\"/home/me\"") { environment[name] = text }
        }
        return environment
    }

    /// Why its program cannot be started by this user; nil if it can: lower case, no full stop. A program that others
    /// could change is not started.
    package var fault: String? {
        var status = stat()
        guard stat(executable, &status) == 0 else {
            return "\(executable): \(String(cString: strerror(errno)))"
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(executable, X_OK) == 0 else {
            return "\(executable) is no program that this user may run"
        }
        guard status.st_uid == 0 || status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            return "\(executable) could be changed by other users"
        }
        return nil
    }
}
