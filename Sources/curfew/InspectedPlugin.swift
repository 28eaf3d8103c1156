// SPDX-License-Identifier: Apache-2.0
import Conformance
import Glibc
import PluginBridge
import Runner
import Scheduling

/// The facts about a plugin that need none of its code to run.
struct InspectedPlugin {
    /// A file's status by stat(2).
    struct File {
        let size: UInt64
        /// `root:root`, or numbers where there is no name.
        let owner: String
        /// `-rwxr-xr-x`
        let mode: String

        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            size = UInt64(clamping: status.st_size)
            let user = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
            let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
            owner = "\(user ?? String(status.st_uid)):\(group ?? String(status.st_gid))"
            mode = File.text(of: status.st_mode)
        }

        private static func text(of mode: mode_t) -> String {
            let kinds: [mode_t: String] = [
                S_IFREG: "-", S_IFDIR: "d", S_IFLNK: "l", S_IFIFO: "p", S_IFSOCK: "s",
            ]
            var text = kinds[mode & S_IFMT] ?? "?"
            for shift in [6, 3, 0] as [mode_t] {
                let bits = mode >> shift & 7
                text += (bits & 4 != 0 ? "r" : "-") + (bits & 2 != 0 ? "w" : "-")
                text += bits & 1 != 0 ? "x" : "-"
            }
            // Rights of the file itself, in the places of the x.
            for (bit, place, letter) in [
                (S_ISUID, 3, "s"), (S_ISGID, 6, "s"), (S_ISVTX, 9, "t"),
            ] where mode & mode_t(bit) != 0 {
                let index = text.index(text.startIndex, offsetBy: place)
                text.replaceSubrange(index...index, with: letter)
            }
            return text
        }
    }

    let directory: String
    let linted: LintedPlugin
    /// Nil where the manifest names none, or none is there.
    private(set) var libraryPath: String?
    private(set) var file: File?
    /// Nil where the file could not be read as a library; the faults say why.
    private(set) var elf: ELFSummary?
    private(set) var exportsEntry = false
    /// The sandbox of its process on this machine; nil if it has no code, or its manifest cannot be read.
    private(set) var features: Result<ChildFeatures, BridgeError>?
    /// The sandbox of its programs; nil if it has none.
    private(set) var programFeatures: Result<ChildFeatures, BridgeError>?

    /// Who signed it, or why nobody did; nil where its manifest cannot be read.
    private(set) var signer: Result<PluginSigner, BridgeError>?

    var manifest: Manifest? { linted.manifest }

    init(directory: String) {
        self.directory = directory
        linted = LintedPlugin(path: directory)
        if let manifest = linted.manifest {
            if manifest.hasCode { features = Self.probe(manifest.needs, isProgram: false) }
            if manifest.hasPrograms {
                programFeatures = Self.probe(manifest.needs, isProgram: true)
            }
        }
        signer = linted.manifest == nil ? nil : Self.signer(of: directory)
        guard let library = linted.manifest?.library else { return }
        let path = directory.appending(component: library)
        libraryPath = path
        file = File(path)
        elf = try? ELFSummary.read(path: path).get()
        if case .success(.function) = ELFExport.find("curfew_plugin_entry", in: path) {
            exportsEntry = true
        }
    }

    private static func probe(
        _ needs: ManifestNeeds?, isProgram: Bool
    ) -> Result<ChildFeatures, BridgeError> {
        do throws(BridgeError) {
            return .success(
                try ChildFeatures.probe(needs, isProgram: isProgram, entersLeaf: true))
        } catch {
            return .failure(error)
        }
    }

    /// Reads the manifest as a host does: from a directory that no other user could change.
    private static func signer(of directory: String) -> Result<PluginSigner, BridgeError>? {
        do throws(BridgeError) {
            let folder = try PluginDirectory(directory)
            guard case .success(let manifest) = try folder.manifest() else { return nil }
            let keys = TrustedKeys(in: TrustPlaces.directories)
            return .success(try PluginSigner(of: manifest, in: folder, keys: keys))
        } catch {
            return .failure(error)
        }
    }
}
