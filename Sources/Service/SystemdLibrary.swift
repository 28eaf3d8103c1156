// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// libsystemd, which is loaded when something of it is needed: a service that no systemd has started does
/// without it.
enum SystemdLibrary {
    /// Returns a function.
    ///
    /// - Parameter type: its C type.
    static func function<Function>(
        _ name: String, as type: Function.Type
    ) throws(ServiceManager.Failure) -> Function {
        guard let library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw ServiceManager.Failure(reason: "libsystemd.so.0 cannot be loaded")
        }
        guard let function = dlsym(library, name) else {
            throw ServiceManager.Failure(reason: "libsystemd.so.0 has no \(name)")
        }
        return unsafeBitCast(function, to: type)
    }
}
