// SPDX-License-Identifier: Apache-2.0

/// The values of one statement: texts, and those of rows in their binary form.
final class PostgresValues: RowSink {
    /// A NUL comes after each.
    private var bytes: [UInt8] = []
    /// Where each begins; nil for a null.
    private var starts: [Int?] = []
    /// Of those that are binary; a text goes up to its NUL.
    private var lengths: [Int32] = []
    /// 1 for those that are binary, else 0.
    private var formats: [Int32] = []

    private func end(_ start: Int, isBinary: Bool = false) {
        lengths.append(Int32(bytes.count - start))
        formats.append(isBinary ? 1 : 0)
        bytes.append(0)
        starts.append(start)
    }

    func put(_ value: Int64) { put(plain: "\(value)") }
    func put(_ value: Double) { put(plain: "\(value)") }
    func put(_ text: String) { put(plain: Self.storable(text)) }

    /// PostgreSQL's texts have no NUL. Keys have none, and in a text for people it stands for nothing.
    static func storable(_ text: String) -> String {
        guard text.utf8.contains(0) else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0 == "\0" ? "\u{fffd}" : $0 }))
    }

    func put(_ value: [UInt8]) {
        let start = bytes.count
        Self.append(value, to: &bytes)
        end(start)
    }

    func put(_ value: Bool) { put(plain: value ? "t" : "f") }

    func putNothing() {
        starts.append(nil)
        lengths.append(0)
        formats.append(0)
    }

    /// Puts a value in the binary form of its type.
    func put(binary value: UnsafeRawBufferPointer) {
        let start = bytes.count
        bytes.append(contentsOf: value)
        end(start, isBinary: true)
    }

    /// Puts a value in two parts, in the binary form of its type.
    func put(binary head: [UInt8], _ rest: [UInt8]) {
        let start = bytes.count
        bytes += head
        bytes += rest
        end(start, isBinary: true)
    }

    private func put(plain text: String) {
        let start = bytes.count
        bytes += text.utf8
        end(start)
    }

    /// Appends PostgreSQL's form of bytes.
    static func append(_ value: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + 3 + 2 * value.count)
        text += [UInt8(ascii: "\\"), UInt8(ascii: "x")]
        for byte in value {
            text.append(Self.digits[Int(byte >> 4)])
            text.append(Self.digits[Int(byte & 15)])
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Calls a function with the values, their lengths and formats; the pointers are valid during the call.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { texts in
                let pointers = starts.map { start in
                    start.map { UnsafePointer(texts.baseAddress! + $0) }
                }
                return pointers.withUnsafeBufferPointer { pointers in
                    lengths.withUnsafeBufferPointer { lengths in
                        formats.withUnsafeBufferPointer {
                            body(
                                Int32(starts.count), pointers.baseAddress, lengths.baseAddress,
                                $0.baseAddress)
                        }
                    }
                }
            }
        }
    }
}
