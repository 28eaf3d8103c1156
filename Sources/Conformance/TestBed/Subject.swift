// SPDX-License-Identifier: Apache-2.0
import CSystem
import Glibc
package import PluginBridge

/// The plugin of a case, as far as it is known without running it.
package struct Subject: Sendable {
    /// Absolute, but where that is not UTF-8.
    package let directory: String
    /// The manifest, or its faults.
    package let manifest: Result<Manifest, ManifestFaults>

    package init(directory: String) {
        let resolved = realpath(directory, nil)
        self.directory = resolved.flatMap { String(validatingCString: $0) } ?? directory
        free(resolved)
        manifest = Manifest.read(directory: self.directory)
    }

    package var sound: Manifest? { try? manifest.get() }

    /// The path of its own library; nil if it has none, or the manifest has faults.
    package var libraryPath: String? { sound?.library.map { "\(directory)/\($0)" } }

    package var elf: Result<ELFSummary, ABINoteFault>? { libraryPath.map(ELFSummary.read(path:)) }

    /// The library's requirements towards the loader.
    var facts: ELFFacts? {
        get throws { try libraryPath.map { try ELFFacts.read(path: $0).get() } }
    }

    /// The runtime of ThreadSanitizer that its library is compiled for; nil where it is for none.
    var raceDetector: String? { (try? facts).flatMap(RaceDetector.runtime(of:)) }

    /// Code of Swift's, whose runtime does things that its author cannot help.
    package var isSwift: Bool { (try? elf?.get().isSwift) ?? false }

    /// The first rule about its file that its library breaks, as loading would find it.
    func libraryProblem() -> BridgeError? {
        do throws(BridgeError) {
            let folder = try PluginDirectory(directory)
            guard case .success(let manifest) = try folder.manifest() else { return nil }
            _ = try CheckedLibrary(manifest, in: folder, pins: nil)
            return nil
        } catch {
            return error
        }
    }

    /// Why a case has nothing to look at; nil where it has.
    func reasonToSkip(_ scope: ConformanceCase.Scope) -> String? {
        guard let sound else { return nil }
        switch scope {
        case .any: return nil
        case .library: return sound.library == nil ? "the plugin has no library of its own" : nil
        case .entry:
            return sound.handlers.contains { $0.form == .entry }
                ? nil : "no handler of it is behind curfew_plugin_entry"
        }
    }

    /// Whether its code can go on where there is no memory: the runtimes of Swift and of Rust end the
    /// process.
    var survivesWithoutMemory: Bool {
        // The text that Rust's library says then, which is in each library that has it.
        let words = "memory allocation of ".utf8
        return !isSwift
            && !(libraryPath.map { ProcessFacts.contents(of: $0).contains(words) } ?? false)
    }
}
