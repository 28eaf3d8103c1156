// SPDX-License-Identifier: Apache-2.0
import PluginBridge

/// Reads any bytes as a signature and as a public key of minisign. What is accepted has texts that can
/// be shown, and no other spelling of its Base64.
@c(LLVMFuzzerTestOneInput)
public func fuzzMinisign(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(MinisignFault) {
        let signature = try MinisignReader.signature(bytes)
        precondition(bytes.count <= MinisignReader.sizeLimit)
        check(signature.comment)
        precondition(MinisignKeyID(signature.key.description) == signature.key)
        checkSpelling(bytes, line: 1) { try? MinisignReader.signature($0) == signature }
    } catch {
        precondition(!error.message.isEmpty)
    }
    do throws(MinisignFault) {
        let key = try MinisignReader.key(bytes)
        check(key.comment)
        precondition(key.bytes.count == 32)
        precondition(MinisignKeyID(key.id.description) == key.id)
        checkSpelling(bytes, line: 1) { try? MinisignReader.key($0) == key }
    } catch {
        precondition(!error.message.isEmpty)
    }
    return 0
}

private func check(_ text: String) {
    precondition(text.utf8.count <= MinisignReader.sizeLimit)
    precondition(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
}

/// Changes each letter of a line in turn: none of the results is the same value.
private func checkSpelling(_ bytes: [UInt8], line: Int, _ isSame: ([UInt8]) -> Bool?) {
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    for place in lines[line].indices {
        var changed = bytes
        changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        precondition(isSame(changed) != true, "two spellings of one value")
    }
}
