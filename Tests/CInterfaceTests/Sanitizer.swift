// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Whether these tests run under a sanitizer, which owns the address space and ends the process
/// itself when an allocation fails.
enum Sanitizer {
    static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
