// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// The libraries that the loader loads along with a plugin's: found as the loader finds them, and each
/// checked as the plugin's own is, with those that it needs itself.
///
/// A library that is loaded already is left alone: the loader takes it, whatever a path says (`_dl_map_object`
/// of glibc compares names before it looks for files).
struct NeededLibraries {
    /// A library, as far as it matters for finding those it needs.
    private struct Place {
        /// How it is called in messages.
        let shown: String
        /// The directory that the loader puts in the place of `$ORIGIN`.
        let origin: String
        /// The directories of the DT_RPATHs of those it was loaded for.
        let inherited: [String]
        /// The libraries whose symbols it wants in certain versions.
        let versioned: Set<[UInt8]>
        let isPlugin: Bool
    }

    /// The maximum number of libraries that one may need.
    static var limit: Int { 512 }

    private let folder: PluginDirectory
    private let trust: FileTrust
    private let paths: LoaderPaths?
    private var seen: Set<[UInt8]> = []
    /// Why the rules cannot tell whether one of them is sound.
    private(set) var doubt: String?
    /// A library that the loader will not find.
    private(set) var missing: String?

    init(
        beside folder: PluginDirectory, trust: FileTrust,
        paths: LoaderPaths? = .ofThisProcess
    ) {
        self.folder = folder
        self.trust = trust
        self.paths = paths
    }

    /// Checks those of the plugin's library.
    ///
    /// - Parameters:
    ///   - versioned: those of which it wants versions.
    ///   - origin: where the host's copy is, which is what the loader sees.
    mutating func check(
        _ dependencies: ELFDependencies, _ versioned: Set<[UInt8]>, of shown: String, origin: String
    ) throws(BridgeError) {
        if let path = dependencies.elsewhere { throw Self.elsewhere(shown, path) }
        for directory in dependencies.searchPath where ELFDependencies.belowOrigin(directory) == nil
        {
            try checkSearched(directory, shown)
        }
        try check(
            dependencies,
            Place(
                shown: shown, origin: origin, inherited: [], versioned: versioned, isPlugin: true))
    }

    private mutating func check(
        _ dependencies: ELFDependencies, _ place: Place
    ) throws(BridgeError) {
        var inherited = place.inherited
        if dependencies.isInherited {
            inherited = dependencies.searchPath.compactMap { expand($0, place) } + inherited
        }
        for name in dependencies.needed {
            guard try !find(name, dependencies, place, inherited) else { continue }
            if missing == nil {
                missing =
                    "it needs \(name), which is in none of the directories that the loader searches"
            }
        }
        for name in dependencies.optional { _ = try find(name, dependencies, place, inherited) }
    }

    /// Finds a library and checks it; false where the loader will not find it.
    private mutating func find(
        _ name: String, _ dependencies: ELFDependencies, _ place: Place, _ inherited: [String]
    ) throws(BridgeError) -> Bool {
        if place.isPlugin, ELFDependencies.belowOrigin(name) != nil {
            throw Self.beside(place.shown, name)
        }
        guard let path = expand(name, place) else { throw Self.elsewhere(place.shown, name) }
        guard let paths else {
            throw BridgeError(
                .needed,
                "\(place.shown) needs \(name), and this system's loader does not tell where it looks for libraries; link it without"
            )
        }
        if let hasVersions = paths.loaded(path) {
            try checkVersions(hasVersions, name, "what is loaded under that name", place)
            return true
        }
        if PathText.hasSlash(path) {
            guard PathText.isAbsolute(path) else { throw Self.elsewhere(place.shown, path) }
            return try take(path, name, place, inherited)
        }
        if dependencies.isInherited || dependencies.searchPath.isEmpty {
            for directory in inherited {
                try checkSearched(directory, place.shown)
                if try search(directory, name, place, inherited) { return true }
            }
        }
        for directory in paths.first {
            try checkFirst(directory, name, place)
            if try search(directory, name, place, inherited) { return true }
        }
        if !dependencies.isInherited {
            for element in dependencies.searchPath {
                if place.isPlugin, let below = ELFDependencies.belowOrigin(element),
                    folder.has(below + name)
                {
                    throw Self.beside(place.shown, name)
                }
                guard let directory = expand(element, place) else {
                    throw Self.elsewhere(place.shown, element)
                }
                try checkSearched(directory, place.shown)
                if try search(directory, name, place, inherited) { return true }
            }
        }
        for path in paths.cached(name) where try take(path, name, place, inherited) { return true }
        for directory in paths.last where try search(directory, name, place, inherited) {
            return true
        }
        return false
    }

    /// Replaces `$ORIGIN` by the directory of the library; returns nil if the path has other
    /// variables.
    private func expand(_ path: String, _ place: Place) -> String? {
        if let below = ELFDependencies.belowOrigin(path) { return place.origin + "/" + below }
        return path.utf8.contains(UInt8(ascii: "$")) ? nil : path
    }

    // MARK: Directories

    /// Looks for a library in a directory, and in those in it that are for certain processors. All
    /// that are there are checked: which of them the loader takes depends on the processor.
    private mutating func search(
        _ directory: String, _ name: String, _ place: Place, _ inherited: [String]
    ) throws(BridgeError) -> Bool {
        var isFound = false
        for variant in variants(of: directory) {
            isFound = try take(variant + "/" + name, name, place, inherited) || isFound
        }
        return isFound
    }

    /// The directory, and those in it that are for certain processors.
    private func variants(of directory: String) -> [String] {
        var found = [directory]
        var next = 0
        while next < found.count, found.count < 64 {
            for name in next == 0 ? LoaderPaths.forProcessors : LoaderPaths.nested
            where PluginDirectory.exists(found[next] + "/" + name) {
                let below = found[next] + "/" + name
                found.append(below)
                if name == "glibc-hwcaps" {
                    found += PluginDirectory.names(in: below).map { below + "/" + $0 }
                }
            }
            next += 1
        }
        return found
    }

    /// Checks a directory of a search path like the plugin's own. For a missing directory, checks
    /// the nearest existing parent, in which a user could create it.
    private func checkSearched(_ directory: String, _ shown: String) throws(BridgeError) {
        guard PathText.isAbsolute(directory) else { throw Self.elsewhere(shown, directory) }
        if let fault = fault(ofDirectory: directory) {
            throw BridgeError(
                .search,
                "\(shown) searches for libraries in \(directory), where another user could put some: \(fault); link it without that directory in its RUNPATH"
            )
        }
    }

    private func checkFirst(
        _ directory: String, _ name: String, _ place: Place
    ) throws(BridgeError) {
        let problem =
            PathText.isAbsolute(directory)
            ? fault(ofDirectory: directory)
            : "it is not absolute, so that it depends on where the process is"
        guard let problem else { return }
        throw BridgeError(
            .search,
            "\(place.shown) needs \(name), for which the loader searches \"\(directory)\" first, where another user could put one: \(problem); start the host without that directory in LD_LIBRARY_PATH (an empty element of it is the working directory) or in its own DT_RPATH"
        )
    }

    /// Also where nothing is in it yet: what is put there later is loaded by the next host.
    private func fault(ofDirectory directory: String) -> String? {
        for each in variants(of: directory) {
            if let fault = fault(ofPath: each) { return fault }
        }
        return nil
    }

    private func fault(ofPath directory: String) -> String? {
        var path = directory
        while path.utf8.count > 1, !PluginDirectory.exists(path) {
            path = PathText.directory(of: path)
        }
        do throws(PathWalk.Failure) {
            let walk = try PathWalk(path, to: .directory)
            if let link = walk.linkOfProc { return Self.leadsAnywhere(link) }
            let faults = walk.faults(trust, end: .folder).map(\.text)
            return faults.isEmpty ? nil : faults.joined(separator: ", ")
        } catch {
            return "\(error.path): \(error.reason)"
        }
    }

    // MARK: Files

    /// Checks a library, if it exists and is for this processor, and those that it needs.
    private mutating func take(
        _ path: String, _ name: String, _ place: Place, _ inherited: [String]
    ) throws(BridgeError) -> Bool {
        // A descriptor of the host's may lead anywhere.
        let isDescriptor =
            !name.isEmpty
            && name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && PathText.hasPrefix(path, "/proc/")
        guard isDescriptor || PluginDirectory.exists(path) else { return false }
        func refusal(_ reason: String) -> BridgeError {
            BridgeError(
                .needed,
                "\(place.shown) needs \(name), which would be loaded from \(path), and that cannot be trusted: \(reason)"
            )
        }
        if isDescriptor { throw refusal("it is a descriptor of the host's") }
        guard seen.insert(Array(path.utf8)).inserted else { return true }
        guard seen.count <= Self.limit else {
            throw BridgeError(
                .needed,
                "\(place.shown) needs \(name) and more than \(Self.limit) other libraries; link it with fewer"
            )
        }
        let walk: PathWalk
        do throws(PathWalk.Failure) {
            walk = try PathWalk(path, to: .file)
        } catch {
            throw refusal("\(error.path): \(error.reason)")
        }
        if let link = walk.linkOfProc { throw refusal(Self.leadsAnywhere(link)) }
        let faults = walk.faults(trust, end: .file)
        guard faults.isEmpty else {
            throw refusal(faults.map(\.text).joined(separator: ", "))
        }
        return try look(at: walk, path, name, place, inherited)
    }

    private mutating func look(
        at walk: PathWalk, _ path: String, _ name: String, _ place: Place, _ inherited: [String]
    ) throws(BridgeError) -> Bool {
        let file = PathText.components(walk.path).last ?? ""
        guard let opened = OwnedDescriptor(csys_open_beneath(walk.directory.number, file)),
            let status = opened.status, status.st_mode & S_IFMT == S_IFREG,
            let size = UInt64(exactly: status.st_size), size > 0,
            let address = csys_map_file(opened.number, size)
        else { return false }
        defer { csys_unmap_file(address, size) }
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(size))
        let own: ELFDependencies
        let versioned: Set<[UInt8]>
        let hasVersions: Bool
        do throws(ABINoteFault) {
            let soundness = try ELFSoundness(bytes)
            versioned = soundness.versioned
            hasVersions = soundness.versions != nil
            if let reason = soundness.doubt, doubt == nil { doubt = "of \(path), \(reason)" }
            own = try ELFDependencies(bytes)
        } catch {
            guard case .malformed = error else {
                // The loader passes over those of other processors, and refuses the rest.
                if error == .otherMachine { return false }
                return true
            }
            throw BridgeError(
                .damaged,
                "\(place.shown) needs \(name), and \(path) \(error.message); \(error.help)")
        }
        try checkVersions(hasVersions, name, path, place)
        try check(
            own,
            Place(
                shown: path, origin: PathText.directory(of: path), inherited: inherited,
                versioned: versioned, isPlugin: false))
        return true
    }

    /// glibc asserts that a library has symbol versions if another one needs a version
    /// (`check_match` in dl-lookup.c), and ends the process otherwise.
    private func checkVersions(
        _ hasVersions: Bool, _ name: String, _ path: String, _ place: Place
    ) throws(BridgeError) {
        guard !hasVersions, place.versioned.contains(Array(name.utf8)) else { return }
        throw BridgeError(
            .link,
            "\(place.shown) could not be loaded: it wants symbols of \(name) in certain versions, and those of \(path) have none; install the library that it was linked with"
        )
    }

    // MARK: Refusing

    private static func leadsAnywhere(_ link: String) -> String {
        "\(link) is a link of the kernel's, which may lead anywhere"
    }

    private static func elsewhere(_ shown: String, _ path: String) -> BridgeError {
        if ELFDependencies.isReplaced(path), PathText.isAbsolute(path) || !PathText.hasSlash(path) {
            return BridgeError(
                .search,
                "\(shown) wants other libraries from \"\(path)\", where the loader puts something else in the place of a name after $ ($LIB, $PLATFORM), which is not taken; link it with the directory as it is in its RUNPATH, or none"
            )
        }
        return BridgeError(
            .search,
            "\(shown) wants other libraries from \"\(path)\", which is not absolute, so that it depends on where the process is; link it with absolute directories in its RUNPATH, or none"
        )
    }

    private static func beside(_ shown: String, _ name: String) -> BridgeError {
        BridgeError(
            .beside,
            "\(shown) wants \(name) from its own directory ($ORIGIN), and nothing but the library itself is taken from there; link \(name) into it, or install that where the system's loader looks"
        )
    }
}

extension PathWalk {
    /// A link on the way that the kernel makes up: of a descriptor, a working directory, a root.
    fileprivate var linkOfProc: String? {
        seen.first { $0.isLink && PathText.hasPrefix($0.facts.path, "/proc/") }?.facts.path
    }
}
