// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// A lock-free map from names, given as bytes, to numbers.
///
/// Names are only added, so a reader may search a table while another thread adds to it or replaces
/// it by a larger one: a hit stays valid, and a miss means that the name was added during the
/// search. All tables together take twice the memory of the last one.
final class NameIndex: @unchecked Sendable {
    // Sendable: tables and names are written before they are published, and live as long as this;
    // only the one thread that adds uses `tables` and `count`.

    private struct Name {
        let hash: UInt64
        let bytes: UnsafeRawBufferPointer
        let number: UInt32
    }

    private struct Table {
        /// Addresses of `Name`, or 0; at most half of them are in use.
        let places: UnsafeMutablePointer<Atomic<UInt>>
        let mask: Int

        init(places count: Int) {
            places = .allocate(capacity: count)
            for place in 0..<count { (places + place).initialize(to: Atomic(0)) }
            mask = count - 1
        }

        @inline(__always)
        func find(_ bytes: UnsafeRawBufferPointer, _ hash: UInt64) -> UInt32? {
            var place = Int(truncatingIfNeeded: hash) & mask
            while true {
                let bits = places[place].load(ordering: .acquiring)
                guard let name = UnsafePointer<Name>(bitPattern: bits) else { return nil }
                if name.pointee.hash == hash, name.pointee.bytes.count == bytes.count,
                    bytes.isEmpty
                        || memcmp(name.pointee.bytes.baseAddress!, bytes.baseAddress!, bytes.count)
                            == 0
                {
                    return name.pointee.number
                }
                place = (place + 1) & mask
            }
        }

        func add(_ name: UnsafePointer<Name>) {
            var place = Int(truncatingIfNeeded: name.pointee.hash) & mask
            while places[place].load(ordering: .relaxed) != 0 { place = (place + 1) & mask }
            places[place].store(UInt(bitPattern: name), ordering: .releasing)
        }
    }

    /// Random seeds, so that names cannot be chosen to collide.
    private let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1)
    private let current: Atomic<UInt>
    private var tables: [UnsafeMutablePointer<Table>]
    private var count = 0

    init() {
        let first = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        first.initialize(to: Table(places: 16))
        tables = [first]
        current = Atomic(UInt(bitPattern: first))
    }

    deinit {
        let last = tables.removeLast()
        for place in 0...last.pointee.mask {
            let bits = last.pointee.places[place].load(ordering: .relaxed)
            UnsafeMutablePointer<Name>(bitPattern: bits)?.deallocate()
        }
        for table in tables + [last] {
            table.pointee.places.deallocate()
            table.deallocate()
        }
    }

    @inline(__always)
    func find(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
        UnsafePointer<Table>(bitPattern: current.load(ordering: .acquiring))!
            .pointee.find(bytes, hash(bytes))
    }

    func find(_ name: String) -> UInt32? {
        var name = name
        return name.withUTF8 { find(UnsafeRawBufferPointer($0)) }
    }

    /// Adds a new name. The caller keeps its bytes alive as long as the index.
    func add(_ bytes: UnsafeRawBufferPointer, _ number: UInt32) {
        let name = UnsafeMutablePointer<Name>.allocate(capacity: 1)
        name.initialize(to: Name(hash: hash(bytes), bytes: bytes, number: number))
        if (count + 1) * 2 > tables[tables.count - 1].pointee.mask + 1 { grow() }
        tables[tables.count - 1].pointee.add(name)
        count += 1
    }

    private func grow() {
        let old = tables[tables.count - 1].pointee
        let fresh = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        fresh.initialize(to: Table(places: (old.mask + 1) * 2))
        for place in 0...old.mask {
            let bits = old.places[place].load(ordering: .relaxed)
            if let name = UnsafePointer<Name>(bitPattern: bits) { fresh.pointee.add(name) }
        }
        tables.append(fresh)
        current.store(UInt(bitPattern: fresh), ordering: .releasing)
    }

    /// Multiplies eight bytes at a time into the hash.
    @inline(__always)
    private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = seeds.0 ^ UInt64(bytes.count)
        var place = 0
        while place + 8 <= bytes.count {
            hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        var rest: UInt64 = 0
        while place < bytes.count {
            rest = rest << 8 | UInt64(bytes[place])
            place += 1
        }
        return mix(hash ^ rest)
    }

    @inline(__always)
    private func mix(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: seeds.1)
        return product.high ^ product.low
    }
}
