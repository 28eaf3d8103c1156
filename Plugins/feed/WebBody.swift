// SPDX-License-Identifier: Apache-2.0

/// The response so far, decompressed; written and read by the task's thread only.
final class WebBody {
    private(set) var bytes: [UInt8] = []
    private(set) var isTooLarge = false
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the number of bytes accepted; curl ends the transfer when it is less than offered.
    func take(_ piece: UnsafeRawBufferPointer) -> Int {
        guard bytes.count + piece.count <= limit else {
            isTooLarge = true
            return 0
        }
        bytes.append(contentsOf: piece)
        return piece.count
    }
}
