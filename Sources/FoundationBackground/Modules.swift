// SPDX-License-Identifier: Apache-2.0

// Apple has all of this in Foundation itself.
@_exported public import Foundation
