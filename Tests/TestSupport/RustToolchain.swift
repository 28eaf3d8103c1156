// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The Rust of the machine, for programs that run with another home directory.
package enum RustToolchain {
    /// Where rustup keeps its toolchains; nil without rustup.
    package static var home: String? {
        let environment = ProcessInfo.processInfo.environment
        if let home = environment["RUSTUP_HOME"] { return home }
        let usual = (environment["HOME"] ?? "") + "/.rustup"
        return FileManager.default.fileExists(atPath: usual) ? usual : nil
    }
}
