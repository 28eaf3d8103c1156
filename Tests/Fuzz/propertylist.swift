// SPDX-License-Identifier: Apache-2.0
import PluginBridge
import Scheduling

/// Reads any bytes as a list of permitted handlers, and prints what is wrong with them.
@c(LLVMFuzzerTestOneInput)
public func fuzzPropertyList(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    switch PermittedHandlers.parse(bytes: bytes, file: "Info.plist") {
    case .success(let list):
        _ = list.refusal(identifier: "org.example.mirror", kind: .processing)
    case .failure(let faults): Soundness.check(faults.diagnostics, in: bytes)
    }
    return 0
}
