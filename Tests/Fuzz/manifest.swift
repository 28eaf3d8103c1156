// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Reads any bytes as a manifest, and prints what is wrong with them.
@c(LLVMFuzzerTestOneInput)
public func fuzzManifest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    switch Manifest.parse(bytes: bytes, file: "manifest.json") {
    case .success(let manifest):
        precondition(
            manifest.handlers.allSatisfy {
                Manifest.budgetRange.contains($0.budget) && Manifest.graceRange.contains($0.grace)
                    && $0.reservedEvents.count == 5
            })
        precondition(manifest.library?.utf8.contains(UInt8(ascii: "/")) != true)
        precondition(manifest.sha256.map { $0.utf8.count == 64 } != false)
    case .failure(let faults): Soundness.check(faults.diagnostics, in: bytes)
    }
    return 0
}
