// SPDX-License-Identifier: Apache-2.0

// The background tasks of an app, by the name that unchanged code imports.
@_exported import SwiftUIBackground
