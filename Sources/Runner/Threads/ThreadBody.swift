// SPDX-License-Identifier: Apache-2.0

/// The function of a thread, as an object that a C pointer can carry.
final class ThreadBody {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
}
