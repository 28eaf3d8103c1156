// SPDX-License-Identifier: Apache-2.0

/// What a client program is written in.
enum ClientLanguage: String, CaseIterable {
    case c
    case swift
}
