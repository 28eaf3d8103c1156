// SPDX-License-Identifier: Apache-2.0

/// The keys whose signatures count, read from directories of public keys.
package struct TrustedKeys: Sendable {
    /// In the order of the directories, then of the names of their files.
    package private(set) var keys: [TrustedKey] = []
    /// Why a directory or a file was left out.
    package private(set) var faults: [BridgeError] = []
    package let directories: [String]

    /// The maximum number of keys in a directory.
    package static var countLimit: Int { 1_024 }
    /// The end of the name of a file with a key.
    package static var suffix: String { ".pub" }

    /// Reads the keys. A missing directory has none. A file that another user could change does not
    /// count, nor does one in a directory of that kind.
    package init(in directories: [String]) {
        self.directories = directories
        for directory in directories where PluginDirectory.exists(directory) { read(directory) }
    }

    /// The keys of a number, of which there may be several.
    package func named(_ id: MinisignKeyID) -> [TrustedKey] { keys.filter { $0.id == id } }

    private mutating func read(_ directory: String) {
        do throws(BridgeError) {
            let folder = try PluginDirectory(directory)
            let names = PluginDirectory.names(in: folder.path).filter {
                $0.utf8.reversed().starts(with: Self.suffix.utf8.reversed())
            }
            if names.count > Self.countLimit {
                faults.append(
                    BridgeError(
                        .signatureFile,
                        "\(directory) has \(names.count) keys, and only the first \(Self.countLimit) by name are used; remove what is not needed"
                    ))
            }
            for name in names.sorted().prefix(Self.countLimit) {
                do throws(BridgeError) {
                    keys.append(try Self.key(name, in: folder))
                } catch {
                    faults.append(error)
                }
            }
        } catch {
            faults.append(error)
        }
    }

    private static func key(
        _ name: String, in folder: PluginDirectory
    ) throws(BridgeError) -> TrustedKey {
        let file = folder.shown(name)
        let bytes = try folder.contents(of: name, limit: MinisignReader.sizeLimit)
        let key: MinisignKey
        do throws(MinisignFault) {
            key = try MinisignReader.key(bytes)
        } catch {
            throw BridgeError(
                .signatureFile,
                "\(file) \(error.message), so it is no public key of minisign; copy the file that `minisign -G` wrote"
            )
        }
        return try TrustedKey(key, file: file)
    }
}
