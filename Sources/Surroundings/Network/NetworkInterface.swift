// SPDX-License-Identifier: Apache-2.0

/// The state of one interface in /sys/class/net. See Documentation/networking/operstates.rst of
/// Linux.
struct NetworkInterface {
    let name: String
    /// Frames can go through it, as far as the kernel knows.
    let isUp: Bool
    /// "up", "down: no carrier", …
    let detail: String

    init(_ name: String, in directory: String) {
        self.name = Shown.text(name)
        do {
            // It was not UTF-8: the file of another interface may have this name.
            guard !name.unicodeScalars.contains("\u{FFFD}") else {
                throw FileFault(directory, "has a name that is not UTF-8")
            }
            let state = try TextFile("\(directory)/\(name)/operstate").word()
            switch state {
            case "up":
                (isUp, detail) = (true, state)
            case "unknown":
                // Tunnels and point-to-point links do not keep a state, but may have a carrier.
                let carrier = try? TextFile("\(directory)/\(name)/carrier").number(in: 0...1)
                (isUp, detail) = carrier == 0 ? (false, "without a carrier") : (true, "up")
            default:
                (isUp, detail) = (false, Shown.text(state, longest: 24))
            }
        } catch {
            // There is a route, and nothing says that it is cut: a container without sysfs.
            (isUp, detail) = (true, "of unknown state")
        }
    }
}
