// SPDX-License-Identifier: Apache-2.0

@_exported public import Dispatch
// Apple's framework re-exports Foundation, and so unchanged code relies on it.
@_exported public import Foundation
// API of Apple's Foundation that Linux lacks
@_exported public import FoundationBackground
