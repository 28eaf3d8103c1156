// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import PluginBridge

/// The decoder of signatures and keys, beside minisign itself.
@Suite("Files of minisign")
struct MinisignReaderTests {
    private let minisign: Minisign
    private let content: [UInt8]
    private let signature: [UInt8]
    private let key: [UInt8]

    init() throws {
        minisign = try Minisign()
        content = Array("what is signed\n".utf8)
        try minisign.files.write(content, to: "file")
        signature = try minisign.sign("file", comment: "id=a.b version=1.0.0 abi=0")
        key = try minisign.files.read("key.pub")
    }

    /// Returns the trusted comment if the signature is valid here, or nil.
    private func comment(_ signature: [UInt8], _ key: [UInt8]) throws -> String? {
        guard let signature = try? MinisignReader.signature(signature),
            let key = try? MinisignReader.key(key), signature.key == key.id,
            try signature.verdict(on: content, by: key) == .valid
        else { return nil }
        return signature.comment
    }

    private func fault(_ bytes: [UInt8]) -> MinisignFault? {
        do throws(MinisignFault) {
            _ = try MinisignReader.signature(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func keyFault(_ bytes: [UInt8]) -> MinisignFault? {
        do throws(MinisignFault) {
            _ = try MinisignReader.key(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("what minisign writes is read, and is valid")
    func written() throws {
        let read = try MinisignReader.signature(signature)
        #expect(read.comment == "id=a.b version=1.0.0 abi=0")
        #expect(read.signature.count == 64 && read.globalSignature.count == 64)
        let key = try MinisignReader.key(key)
        #expect(key.comment == "minisign public key \(key.id)")
        #expect(key.id == read.key)
        #expect(try read.verdict(on: content, by: key) == .valid)
        #expect(try read.verdict(on: content + [0], by: key) == .otherFile)
        #expect(try read.verdict(on: [], by: key) == .otherFile)
        let other = text(signature).replacing("abi=0", with: "abi=1")
        #expect(
            try MinisignReader.signature(Array(other.utf8)).verdict(on: content, by: key)
                == .otherComment)
    }

    @Test("the number of a key is written as minisign writes it")
    func number() throws {
        let id = try MinisignReader.key(key).id
        #expect(MinisignKeyID(id.description) == id)
        #expect(MinisignKeyID(id.description.lowercased()) == id)
        for wrong in ["", "-1", "+23456789ABCDEF0", "x123456789ABCDEF", "0123456789ABCDEF0"] {
            #expect(MinisignKeyID(wrong) == nil, "\(wrong)")
        }
        #expect(MinisignKeyID("00000000000000af")?.description == "AF")
    }

    @Test("a legacy signature is told from a damaged one")
    func legacy() throws {
        let legacy = try minisign.sign("file", comment: "x", legacy: true)
        #expect(fault(legacy) == .legacy)
        #expect(fault(Array(text(signature).replacing("\nRU", with: "\nRV").utf8)) == .algorithm)
        #expect(fault(Array(text(signature).replacing("\nRU", with: "\nAA").utf8)) == .algorithm)
        #expect(keyFault(Array(text(key).replacing("\nRW", with: "\nRU").utf8)) == .algorithm)
    }

    @Test("each fault has its line")
    func faults() {
        let lines = text(signature).split(separator: "\n").map(String.init)
        func with(_ index: Int, _ line: String) -> [UInt8] {
            var lines = lines
            lines[index] = line
            return Array((lines.joined(separator: "\n") + "\n").utf8)
        }
        #expect(fault([]) == .lines(0, expected: 4))
        #expect(fault(Array(signature.dropLast())) == nil)
        #expect(fault(signature + Array("\n".utf8)) == .lines(5, expected: 4))
        #expect(fault(with(3, lines[3] + "\nmore")) == .lines(5, expected: 4))
        #expect(
            fault(with(0, "comment: x")) == .comment(line: 1, expected: "untrusted comment: "))
        #expect(fault(with(2, "comment: x")) == .comment(line: 3, expected: "trusted comment: "))
        #expect(fault(with(2, lines[2] + "\r")) == .notText(line: 3))
        #expect(fault(with(2, lines[2] + "\u{1B}[2J")) == .notText(line: 3))
        #expect(fault(with(2, lines[2] + "\u{9B}")) == .notText(line: 3))
        #expect(
            fault(Array("untrusted comment: ".utf8) + [0xFF] + signature.drop { $0 != 10 })
                == .notText(line: 1))
        for wrong in [
            "", "====", String(lines[1].dropLast()), lines[1] + "=", lines[1] + " ",
            " " + lines[1].dropLast(), lines[1].dropLast(2) + "==", "-" + lines[1].dropFirst(),
            // The bits of the last letter that no byte has.
            String(lines[1].dropLast(2)) + "B=",
        ] {
            #expect(fault(with(1, wrong)) == .base64(line: 2, bytes: 74), "\(wrong)")
        }
        #expect(fault(with(3, lines[1])) == .base64(line: 4, bytes: 64))
        let long = with(0, lines[0] + String(repeating: "x", count: 4_096))
        #expect(fault(long) == .tooLarge)
        #expect(keyFault(signature) == .lines(4, expected: 2))
        #expect(fault(key) == .lines(2, expected: 4))
        for fault in [
            MinisignFault.tooLarge, .notText(line: 1), .lines(1, expected: 4), .legacy, .algorithm,
            .comment(line: 1, expected: "x"), .base64(line: 2, bytes: 74),
        ] {
            #expect(!fault.message.isEmpty && fault.message.last != ".")
        }
    }

    @Test("of 400 damaged signatures and keys minisign accepts each that is accepted here")
    func mutants() throws {
        var generator = SeededGenerator(seed: 25_519)
        let letters = Array("ABab01+/=\n\r :x\u{0}".utf8)
        var accepted = 0
        for number in 0..<400 {
            var (signature, key) = (signature, key)
            // The first line may be anything, so that some are valid.
            func change(_ bytes: inout [UInt8]) {
                let end = number % 4 == 0 ? bytes.firstIndex(of: 10)! : bytes.count
                let place = Int.random(in: (number % 4 == 0 ? 19 : 0)..<end, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = letters.randomElement(using: &generator)!
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(letters.randomElement(using: &generator)!, at: place)
                default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
            }
            if number % 3 == 0 { change(&key) } else { change(&signature) }
            guard let ours = try comment(signature, key) else { continue }
            accepted += 1
            let theirs = try minisign.comment(of: "file", signature: signature, key: key)
            #expect(ours == theirs, "\(text(signature)) \(text(key))")
        }
        #expect(accepted > 40, "\(accepted)")
    }
}
