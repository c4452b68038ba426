import Ledger
import TestSupport
import Testing

@testable import JournalStore

@Suite struct DedupTableTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random operations agree with a dictionary`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = DedupTable()
        var model: [KeyHash: KnownEvent] = [:]
        var mismatches = 0
        for step in 1...8_000 {
            // Few distinct keys, crowded into few places, so that probes are long and keys come
            // again.
            let low = generator.next() % 900
            let high = (generator.next() % 4) << 62 | low
            let key = KeyHash(low: low, high: high)
            if generator.next() % 3 == 0 {
                if table.find(key) != model[key] { mismatches += 1 }
            } else {
                let entry = KnownEvent(
                    sequence: UInt64(step), fingerprint: UInt32(generator.next() & 0xff_ffff))
                table.insert(key, entry)
                model[key] = entry
            }
            if step % 3000 == 0 {
                let limit = UInt64(step - 1200)
                table.forget(before: limit)
                model = model.filter { $0.value.sequence >= limit }
            }
        }
        #expect(table.count == model.count)
        for (key, entry) in model where table.find(key) != entry { mismatches += 1 }
        #expect(mismatches == 0)
    }

    @Test func `a copy keeps what it held when the table goes on`() {
        var table = DedupTable()
        let key = KeyHash(low: 1, high: 2)
        table.insert(key, .init(sequence: 1, fingerprint: 7))
        let copy = table
        table.insert(key, .init(sequence: 2, fingerprint: 8))
        table.insert(KeyHash(low: 3, high: 4), .init(sequence: 3, fingerprint: 9))
        #expect(copy.find(key) == .init(sequence: 1, fingerprint: 7))
        #expect(copy.count == 1)
    }

    @Test func `the greatest sequence and fingerprint fit`() {
        var table = DedupTable()
        let key = KeyHash(low: .max, high: .max)
        table.insert(key, .init(sequence: DedupTable.sequenceMax, fingerprint: 0xff_ffff))
        #expect(table.find(key) == .init(sequence: DedupTable.sequenceMax, fingerprint: 0xff_ffff))
    }

    @Test func `slots of a snapshot that cannot be a table are refused`() {
        let slots = { SlotPages(repeating: DedupTable.Slot(), count: $0) }
        #expect(DedupTable(slots: slots(1), count: 1) == nil)
        #expect(DedupTable(slots: slots(20), count: -1) == nil)
        #expect(DedupTable(slots: slots(20), count: 17) != nil)
        #expect(DedupTable(slots: slots(0), count: 0) != nil)
    }
}
