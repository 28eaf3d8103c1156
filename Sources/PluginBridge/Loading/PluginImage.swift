// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// A plugin's library in memory, from a copy of the host's own.
///
/// There is one image for a path and a content, whatever number of hosts load it: the Swift runtime
/// takes two images with the same module for two kinds of the same types. It is never unmapped:
/// code of it may be on any thread's stack, and the Swift runtime keeps pointers into every image it
/// has seen.
package final class PluginImage: @unchecked Sendable {
    // Sendable: everything is constant; only the loading thread uses the table.

    /// The file it was read from: absolute, without links.
    let path: String
    /// The name in messages.
    let shown: String
    private let handle: UnsafeMutableRawPointer
    private let copy: PluginCopy
    /// The name that the loader stores first; it may still read it.
    private let firstName: UnsafePointer<CChar>?

    static var entryName: String { "curfew_plugin_entry" }

    /// All there are, by the bytes of their path: more than one where the file was replaced.
    nonisolated(unsafe) private static var loaded: [[UInt8]: [PluginImage]] = [:]

    /// Loads a library, or finds its image; only its constructors run. The caller
    /// serializes loads.
    static func load(_ copy: PluginCopy, path: String) throws(BridgeError) -> PluginImage {
        let bytes = Array(path.utf8)
        if let image = loaded[bytes]?.first(where: { $0.copy.hasSameBytes(as: copy) }) {
            return image
        }
        let image = try PluginImage(copy, path: path)
        copy.keep()
        loaded[bytes, default: []].append(image)
        return image
    }

    private init(_ copy: PluginCopy, path: String) throws(BridgeError) {
        defer {
            copy.letGo()
            copy.rest()
        }
        let name = try PluginImage.name(of: copy)
        // RTLD_NOW so that an unresolved symbol is an error here and not in a task; RTLD_LOCAL so
        // that plugins do not see each other; RTLD_NODELETE for the reason above.
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
            throw BridgeError(
                .link,
                "\(copy.shown) could not be loaded: \(reason.replacing(name + ": ", with: "").replacing(name, with: copy.shown)); \(PluginImage.advice(reason, copy))"
            )
        }
        self.copy = copy
        self.path = path
        shown = copy.shown
        self.handle = handle
        // Debuggers, backtraces and the plugin itself (dladdr) shall see where it comes from.
        firstName = copy.path == nil ? csys_name_image(handle, strdup(path)) : nil
    }

    /// ST_NOEXEC of statvfs(3).
    private static var noExecute: UInt { 8 }

    /// Returns the advice for a message of the loader, which reports a system error as text.
    private static func advice(_ reason: String, _ copy: PluginCopy) -> String {
        for code in [EMFILE, ENFILE] where reason.contains(PluginDirectory.reason(code)) {
            return "raise the limit of open files (ulimit -n)"
        }
        var facts = statvfs()
        if let path = copy.path, statvfs(path, &facts) == 0, facts.f_flag & noExecute != 0 {
            return
                "the copies are on a file system without the right to execute (noexec): name another directory in \(PluginCopy.directoryVariable), or none"
        }
        if reason.contains(PluginDirectory.reason(ENOMEM)) { return "free some memory" }
        return "link it with what it needs (-Wl,-z,defs says what is missing)"
    }

    /// A function by that name, or nil. A copy of the symbol in a library it depends on is not the
    /// plugin's own.
    func function(_ name: String) -> UnsafeMutableRawPointer? {
        guard let symbol = dlsym(handle, name), csys_image_defines(handle, symbol) else {
            return nil
        }
        return symbol
    }

    /// A path by which the loader finds the copy, and which it has never seen.
    ///
    /// The path has the number of this process, not `self`: a debugger opens the path as well, and
    /// would get a file of its own. The loader takes a known path for the same image without
    /// reading the file, and descriptor numbers are reused. So the path encodes the inode number,
    /// which is unique while the file is mapped, as slashes and dots.
    private static func name(of copy: PluginCopy) throws(BridgeError) -> String {
        if let path = copy.path { return path }
        var file = stat()
        guard fstat(copy.number, &file) == 0 else {
            throw BridgeError(
                .copy, .system,
                "the copy of \(copy.shown) was closed by other code of the process: \(PluginDirectory.reason(errno))"
            )
        }
        let mark = (0..<UInt64.bitWidth - UInt64(file.st_ino).leadingZeroBitCount)
            .map { UInt64(file.st_ino) >> UInt64($0) & 1 == 1 ? "/." : "/" }.joined()
        for process in ["\(getpid())", "self"] {
            let name = "/proc/\(process)/fd\(mark)/\(copy.number)"
            var found = stat()
            if stat(name, &found) == 0, found.st_ino == file.st_ino, found.st_dev == file.st_dev {
                return name
            }
        }
        throw BridgeError(
            .copy, .system,
            "\(copy.shown) cannot be loaded: its copy in memory is reached through /proc, which is not there; mount it, or name a directory for the copies in \(PluginCopy.directoryVariable)"
        )
    }
}
