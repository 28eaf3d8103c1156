// SPDX-License-Identifier: Apache-2.0

/// The shells whose Tab key can be taught.
enum Shell: String, CaseIterable {
    case bash
    case zsh
    case fish
}
