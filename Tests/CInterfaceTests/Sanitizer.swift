// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Whether these tests run under a sanitizer, which owns the address space and ends the process
/// itself when an allocation fails.
enum Sanitizer {
    static let isOn = ["__asan_init", "__tsan_init"].contains { dlsym(nil, $0) != nil }
}
