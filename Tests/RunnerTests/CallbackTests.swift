// SPDX-License-Identifier: Apache-2.0
import CurfewValues
import Synchronization
import Testing

@Suite("A function that is called often")
struct CallbackTests {
    private final class Calls: Sendable {
        let count = Atomic<Int>(0)
        let places = Atomic<UInt>(0)
    }

    @Test("has no deeper stack with each call")
    func depth() {
        let (callback, calls) = (Callback<Int>(), Calls())
        callback(1)
        callback.set { [calls] number in
            calls.count.wrappingAdd(number, ordering: .relaxed)
            var local = 0
            withUnsafePointer(to: &local) {
                calls.places.store(UInt(bitPattern: $0), ordering: .relaxed)
            }
        }
        callback(1)
        let first = calls.places.load(ordering: .relaxed)
        for _ in 0..<1_000 { callback(1) }
        #expect(calls.places.load(ordering: .relaxed) == first)
        #expect(calls.count.load(ordering: .relaxed) == 1_001)
    }
}
