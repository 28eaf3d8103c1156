// SPDX-License-Identifier: Apache-2.0
package import Scheduling

/// Reports whether there is a network, as far as the kernel knows: a default route through an
/// interface that is up, other than loopback. It does not test whether a peer can be reached.
package struct NetworkSource: FactorSource {
    private let proc: String
    private let interfaces: String

    /// - Parameters:
    ///   - proc: where procfs is.
    ///   - sys: where sysfs is.
    package init(proc: String = "/proc", sys: String = "/sys") {
        self.proc = proc
        interfaces = sys + "/class/net"
    }

    package var factors: Set<Factor> { [.network] }

    package func read() -> [Factor: FactorReading] { [.network: reading()] }

    private func reading() -> FactorReading {
        var fault: FileFault?
        var cut: NetworkInterface?
        var source = proc + "/net/route"
        for isIPv6 in [false, true] {
            let path = proc + (isIPv6 ? "/net/ipv6_route" : "/net/route")
            do {
                for name in try routes(path, isIPv6: isIPv6) {
                    let interface = NetworkInterface(name, in: interfaces)
                    if interface.isUp {
                        return FactorReading(
                            .yes, source: Shown.text(path),
                            detail: "\(isIPv6 ? "IPv6" : "IPv4") default route through "
                                + "\(interface.name), which is \(interface.detail)")
                    }
                    if cut == nil { (cut, source) = (interface, path) }
                }
            } catch {
                // A kernel without IPv6 has no table of it.
                if !(isIPv6 && error.isMissing) { fault = fault ?? error }
            }
        }
        if let fault {
            return FactorReading(.unknown, source: fault.path, detail: fault.description)
        }
        return FactorReading(
            .no, source: Shown.text(source),
            detail: cut.map { "the default route goes through \($0.name), which is \($0.detail)" }
                ?? "no default route")
    }

    /// If the table exceeds the limit, a default route may be in the rest.
    private func routes(_ path: String, isIPv6: Bool) throws(FileFault) -> [String] {
        let file = TextFile(path, limit: TextFile.table)
        let (bytes, isCut) = try file.beginning()
        let text = String(decoding: bytes, as: UTF8.self)
        if !isIPv6, !text.begins(with: "Iface") { throw FileFault(path, "is no table of routes") }
        let names = isIPv6 ? DefaultRoutes.ofIPv6(text) : DefaultRoutes.ofIPv4(text)
        if names.isEmpty, isCut {
            throw FileFault(path, "has no default route in its first \(file.limit) bytes")
        }
        return names
    }
}
