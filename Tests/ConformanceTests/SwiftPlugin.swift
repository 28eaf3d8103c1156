// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// A plugin in Swift as it is released: the runtime inside, one name exported.
struct SwiftPlugin {
    let directory: TemporaryDirectory

    /// - Parameter place: its directory below Tests/Plugins.
    init(_ place: String) throws {
        directory = try TemporaryDirectory()
        let name = place.split(separator: "/").last.map(String.init) ?? place
        let library = "lib\(name).so"
        for (source, file) in [
            ("\(BuiltProducts.packageRoot)/.build/release/\(library)", library),
            ("\(BuiltProducts.packageRoot)/Tests/Plugins/\(place)/manifest.json", "manifest.json"),
        ] {
            try FileManager.default.copyItem(atPath: source, toPath: directory.path(file))
        }
    }
}
