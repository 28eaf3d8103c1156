// SPDX-License-Identifier: Apache-2.0

@_exported public import Dispatch
// As Apple's UIKit, it brings Foundation along.
@_exported public import Foundation
@_exported public import FoundationBackground
