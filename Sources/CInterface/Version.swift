// SPDX-License-Identifier: Apache-2.0
public import CCurfew
import PluginBridge

/// The release, as a text that lives as long as the process.
private nonisolated(unsafe) let release: UnsafePointer<CChar> = {
    UnsafePointer(strdupForEver(CURFEW_VERSION_STRING))
}()

private nonisolated(unsafe) let unknownStatus: UnsafePointer<CChar> = {
    UnsafePointer(strdupForEver("unknown status"))
}()

func strdupForEver(_ text: String) -> UnsafeMutablePointer<CChar> {
    let utf8 = Array(text.utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count)
    copy.initialize(from: utf8, count: utf8.count)
    return copy
}

@c @implementation public func curfew_version() -> UnsafePointer<CChar> { release }

@c @implementation public func curfew_abi_version() -> UInt32 { UInt32(CURFEW_ABI_VERSION) }

@c @implementation public func curfew_status_text(_ status: curfew_status) -> UnsafePointer<CChar> {
    Status(rawValue: status).text ?? unknownStatus
}
