import TestSupport
import Testing

@testable import JournalStore

@Suite struct TagTableTests {
    @Test(arguments: [32, 40])
    func `random operations agree with a dictionary of sets`(valueBits: Int) {
        var generator = SeededGenerator(seed: UInt64(valueBits))
        var table = TagTable(valueBits: valueBits)
        var model: [UInt32: Set<UInt64>] = [:]
        let tagMask = UInt32(truncatingIfNeeded: UInt64.max >> UInt64(valueBits))
        for _ in 0..<8_000 {
            // Tags share their high bits, hence their home, and wrap around at the table's end.
            let tag = (tagMask - UInt32(generator.next() % 60)) & tagMask
            let value = generator.next() % 20
            switch generator.next() % 5 {
            case 0, 1:
                table.insert(tag: tag, value: value)
                model[tag, default: []].insert(value)
            case 2, 3:
                table.remove(tag: tag, value: value)
                model[tag]?.remove(value)
            default:
                let new = 100 + generator.next() % 20
                guard model[tag]?.contains(new) != true else { continue }
                table.replace(tag: tag, value: value, with: new)
                model[tag, default: []].remove(value)
                model[tag, default: []].insert(new)
            }
        }
        #expect(table.count == model.values.map(\.count).reduce(0, +))
        var mismatches = 0
        for (tag, values) in model {
            var found: Set<UInt64> = []
            _ = table.first(tag: tag) {
                found.insert($0); return false
            }
            if found != values { mismatches += 1 }
            for value in values where table.first(tag: tag, where: { $0 == value }) != value {
                mismatches += 1
            }
        }
        #expect(mismatches == 0)
    }

    @Test func `tag zero and value zero are found again`() {
        var table = TagTable(valueBits: 40)
        table.insert(tag: 0, value: 0)
        #expect(table.first(tag: 0) { _ in true } == 0)
        #expect(table.count == 1)
        table.remove(tag: 0, value: 0)
        #expect(table.first(tag: 0) { _ in true } == nil)
    }
}

extension TagTable {
    /// The first value under `tag` that `isWanted` accepts.
    fileprivate func first(tag: UInt32, where isWanted: (UInt64) -> Bool) -> UInt64? {
        var search = search(tag: tag)
        while let value = next(&search) {
            if isWanted(value) { return value }
        }
        return nil
    }
}
