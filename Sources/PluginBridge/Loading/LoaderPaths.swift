// SPDX-License-Identifier: Apache-2.0

import CSystem
internal import Glibc

/// The directories in which the system's loader searches, besides those that a library names.
struct LoaderPaths: Sendable {
    /// The directories in which it looks before those of a DT_RUNPATH: the DT_RPATH of the program,
    /// and LD_LIBRARY_PATH as it was when the process began. One may not be absolute.
    let first: [String]
    /// The directories in which it looks at the end: its own.
    let last: [String]
    /// Whether the symbols of the library have versions that the loader takes for one of a name; nil
    /// where the process has none yet.
    let loaded: @Sendable (String) -> Bool?
    /// The files that the loader's cache has under a name.
    let cached: @Sendable (String) -> [String]

    /// Subdirectories in which the loader looks for a library for certain processors first: glibc's of
    /// today in `glibc-hwcaps`, those of 2.36 and older one within the other.
    static let forProcessors = ["glibc-hwcaps"] + nested
    static let nested = [
        "tls", "haswell", "xeon_phi", "avx512_1", "x86_64", "atomics", "aarch64",
    ]

    /// The paths of this process; nil if the loader does not report them.
    static let ofThisProcess: LoaderPaths? = {
        guard let text = csys_loader_path() else { return nil }
        defer { free(text) }
        guard
            let path = String(
                validating: UnsafeRawBufferPointer(start: text, count: strlen(text)), as: UTF8.self)
        else { return nil }
        let directories = PathText.split(path, at: ":", keepingEmpty: true)
        // The loader's own are at the end, and below one of these.
        let own = directories.reversed().prefix { directory in
            ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].contains { place in
                directory.utf8.elementsEqual(place.utf8)
                    || PathText.hasPrefix(directory, place + "/")
            }
        }
        return LoaderPaths(
            first: Array(directories.dropLast(own.count)), last: own.reversed(),
            loaded: { name in
                var hasVersions = false
                return csys_is_loaded(name, &hasVersions) ? hasVersions : nil
            },
            cached: { name in
                guard let file = OwnedDescriptor(open(LoaderCache.path, RegularFile.flags)),
                    let bytes = try? RegularFile.contents(
                        of: file.number, limit: LoaderCache.sizeLimit),
                    bytes.count <= LoaderCache.sizeLimit
                else { return [] }
                return LoaderCache(bytes).files(name)
            })
    }()
}
