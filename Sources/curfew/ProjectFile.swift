// SPDX-License-Identifier: Apache-2.0

/// A file of a template, or of a plugin that is made of one.
struct ProjectFile {
    /// Below the template's or the plugin's directory, without dots.
    let path: String
    let bytes: [UInt8]
}
