// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// A library of the system, for functions that a manifest names.
///
/// The library is searched in the system's own directories only, whatever the environment says, and
/// is never copied. Like a plugin's library it is not unmapped.
package struct SystemLibrary {
    let name: String
    /// The path.
    let path: String
    private let handle: UnsafeMutableRawPointer

    /// The libraries that a host permits by default: libraries that do not change the process.
    package static let usual = [
        "libc.so.6", "libm.so.6", "libz.so.1", "libsqlite3.so.0", "libcrypto.so.3", "libuuid.so.1",
        "libbz2.so.1.0", "liblzma.so.5", "libzstd.so.1", "liblz4.so.1", "libexpat.so.1",
        "libxml2.so.2", "libpcre2-8.so.0", "libidn2.so.0", "libmagic.so.1", "libglib-2.0.so.0",
    ]

    #if arch(x86_64)
        private static let triplet = "x86_64-linux-gnu"
    #elseif arch(arm64)
        private static let triplet = "aarch64-linux-gnu"
    #else
        private static let triplet = "unknown-linux-gnu"
    #endif

    /// The directories of the loader's configuration in Debian and its derivatives.
    private static let directories = [
        "/lib/\(triplet)", "/usr/lib/\(triplet)", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
    ]

    /// True for a plain soname: `libz.so.1`.
    package static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let isPlain = bytes.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+")]
                    .contains($0)
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return isPlain && bytes.count <= 255 && text.hasPrefix("lib") && parts.contains("so")
            && parts.allSatisfy { !$0.isEmpty } && parts[0].utf8.count > 3
    }

    /// Finds and opens the library. The caller serializes loads.
    ///
    /// - Parameter allowed: the sonames a host allows.
    init(_ name: String, allowed: [String]) throws(BridgeError) {
        let path = try Self.path(of: name, allowed: allowed)
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            let reason = dlerror().map { String(cString: $0) } ?? "no reason given"
            throw BridgeError(.link, "\(path) could not be loaded: \(reason)")
        }
        self.name = name
        self.path = path
        self.handle = handle
    }

    /// Throws where a host does not allow a library.
    static func check(_ name: String, allowed: [String]) throws(BridgeError) {
        guard !allowed.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { return }
        throw BridgeError(
            .systemLibrary, .denied,
            "the library \(name) is not among those whose functions a manifest may call: \(allowed.isEmpty ? "there are none" : allowed.joined(separator: ", ")); permit it with --system-library \(name) of curfew run, or with system_libraries of the host's configuration"
        )
    }

    /// Returns the path of a permitted library.
    static func path(of name: String, allowed: [String]) throws(BridgeError) -> String {
        try check(name, allowed: allowed)
        let found = Self.directories.lazy.map { $0 + "/" + name }.first {
            access($0, F_OK) == 0
        }
        guard let path = found else {
            throw BridgeError(
                .systemLibrary,
                "\(name) is in none of the system's directories (\(Self.directories.joined(separator: ", "))); install its package"
            )
        }
        return path
    }

    /// A function that this very library defines, or nil.
    func function(_ name: String) -> UnsafeMutableRawPointer? {
        guard let symbol = dlsym(handle, name), csys_image_defines(handle, symbol) else {
            return nil
        }
        return symbol
    }
}
