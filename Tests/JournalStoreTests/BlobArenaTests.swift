import TestSupport
import Testing

@testable import JournalStore

@Suite struct BlobArenaTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random operations agree with a dictionary`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var arena = BlobArena()
        var model: [UInt32: [UInt8]] = [:]
        var overlaps = 0
        for _ in 0..<2_000 {
            let lengthMax = [1, 40, 200, 600, 5000, 40_000][Int(generator.next() % 6)]
            let blob = [UInt8](
                repeating: UInt8(truncatingIfNeeded: generator.next()),
                count: Int(generator.next() % UInt64(lengthMax + 1)))
            switch generator.next() % 4 {
            case 0, 1:
                let address = arena.insert(blob)
                if model.updateValue(blob, forKey: address) != nil { overlaps += 1 }
            case 2:
                guard let address = model.keys.min() else { continue }
                model[address] = nil
                let new = arena.replace(address, with: blob)
                if model.updateValue(blob, forKey: new) != nil { overlaps += 1 }
            default:
                guard let address = model.keys.max() else { continue }
                arena.remove(address)
                model[address] = nil
            }
        }
        #expect(overlaps == 0)
        let damaged = model.filter { $0.key == 0 || arena.bytes(at: $0.key) != $0.value[...] }
        #expect(damaged.isEmpty)
    }

    @Test func `a freed block is used again`() {
        var arena = BlobArena()
        let first = arena.insert([UInt8](repeating: 1, count: 90))
        _ = arena.insert([UInt8](repeating: 2, count: 90))
        arena.remove(first)
        #expect(arena.insert([UInt8](repeating: 3, count: 93)) == first)
    }

    @Test func `a copy keeps what it held when the arena goes on`() {
        var arena = BlobArena()
        let address = arena.insert([1, 2, 3])
        let copy = arena
        _ = arena.replace(address, with: [4, 5, 6])
        #expect(copy.bytes(at: address) == [1, 2, 3])
        #expect(arena.bytes(at: address) == [4, 5, 6])
    }

    @Test func `every size has a class that holds it and wastes little`() {
        var lists: Set<Int> = []
        for bytes in 1...SizeClass.blockBytesMax {
            let sizeClass = SizeClass(bytes: bytes)
            let waste = sizeClass.bytes - bytes
            let isGood =
                waste >= 0 && waste < max(8, bytes / 8 + 1) && sizeClass.bytes % 8 == 0
                && SizeClass(bytes: sizeClass.bytes) == sizeClass
            if !isGood { Issue.record("\(bytes) bytes: \(sizeClass)") }
            if let list = sizeClass.list { lists.insert(list) }
        }
        #expect(lists == Set(0..<SizeClass.count))
        #expect(SizeClass(bytes: SizeClass.blockBytesMax + 1).list == nil)
    }
}
