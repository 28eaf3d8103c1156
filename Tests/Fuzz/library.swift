// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Reads any bytes as a plugin's library, as the libraries that it needs, and as the loader's cache.
@c(LLVMFuzzerTestOneInput)
public func fuzzLibrary(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    do throws(ABINoteFault) {
        _ = try ELFSoundness(bytes)
        // Every other reader comes to an end with a library that the rules let through.
        let dependencies = try ELFDependencies(bytes)
        precondition(dependencies.needed.allSatisfy { !$0.isEmpty })
    } catch {
        precondition(!error.message.isEmpty && !error.help.isEmpty)
    }
    precondition(LoaderCache(Array(bytes)).files("libc.so.6").count <= count)
    return 0
}
