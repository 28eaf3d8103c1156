// SPDX-License-Identifier: Apache-2.0
package import CCurfew

/// Reads an array of `curfew_plugin_pin` into the digests of each plugin.
package enum PinReader {
    /// The maximum number of pins of a host.
    package static let countLimit = 65_536
    private static let least = 24

    /// Returns nil for a NULL list, which is none. Throws where a pin is not one.
    package static func read(
        _ pins: UnsafePointer<curfew_plugin_pin>?, count: Int
    ) throws(BridgeError) -> [String: Set<String>]? {
        guard let pins else {
            guard count == 0 else { throw refusal("pins is NULL, and pin_count is \(count)") }
            return nil
        }
        guard count <= countLimit else {
            throw refusal("pin_count is \(count), the limit is \(countLimit)")
        }
        guard count > 0 else { return [:] }
        let stride = Int(pins.pointee.struct_size)
        guard stride >= least, stride <= 4_096, stride % 8 == 0 else {
            throw refusal(
                "curfew_plugin_pin.struct_size is not that of any version of the struct; set it to sizeof(curfew_plugin_pin)"
            )
        }
        var result: [String: Set<String>] = [:]
        for index in 0..<count {
            let raw = UnsafeRawPointer(pins) + index * stride
            let pin = raw.load(as: curfew_plugin_pin.self)
            guard pin.struct_size == UInt32(stride) else {
                throw refusal("struct_size of pin \(index) is not that of the first")
            }
            guard let plugin = pin.plugin, let sha256 = pin.sha256 else {
                throw refusal("pin \(index) has no plugin or no sha256")
            }
            let digest = String(cString: sha256)
            guard LibraryDigest.isDigest(digest) else {
                throw refusal(
                    "sha256 of pin \(index) is not 64 hexadecimal digits, as sha256sum prints them")
            }
            result[String(cString: plugin), default: []].insert(digest)
        }
        return result
    }

    private static func refusal(_ text: String) -> BridgeError {
        BridgeError(.invalid, "the configuration cannot be used: \(text)")
    }
}
