// SPDX-License-Identifier: Apache-2.0

// Apple's Logger, by the name that unchanged code imports.
@_exported import OSLogging
