// SPDX-License-Identifier: Apache-2.0

/// A payload the handler understands, kept for documentation and trial runs.
public struct ManifestExample: Hashable, Sendable {
    public let name: String
    public let payload: String
}
