import Testing

@testable import Journal

@Suite struct JournalVerifierTests {
    private func verifier(
        _ fixture: JournalFixture, anchor: ChainValue? = nil
    ) -> JournalVerifier {
        JournalVerifier(
            directory: CrashWorkload.directory, storage: fixture.storage, anchor: anchor,
            options: JournalFixture.options)
    }

    @Test func `a good journal is counted and its progress ends full`() throws {
        let fixture = try JournalFixture(idle: true, snapshots: [6, 10])
        var steps: [(Int, Int)] = []
        var sequences: [UInt64] = []
        var verifier = verifier(fixture)
        let result = try verifier.run(progress: { steps.append(($0, $1)) }) { sequence, record in
            #expect([UInt8](record) == JournalFixture.record(Int(sequence)))
            sequences.append(sequence)
        }
        #expect(result.damage == nil && result.torn == nil && result.snapshotsDamaged.isEmpty)
        #expect(result.segments == 3 && result.frames == 9 && result.records == 16)
        #expect(result.span == 1...16 && sequences == Array(1...16))
        #expect(result.bytes == 3 * 512 + 8 * 2048 + 512)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.0 <= $1.0 })
        #expect(steps.last.map { $0.0 == $0.1 } == true)
        let writer = try fixture.open().writer
        #expect(result.chainHead == writer.chainHead)
    }

    @Test func `an anchor is found again and a foreign one is not`() throws {
        let storage = SimulatedStorage()
        var fixture = try JournalFixture()
        fixture.storage = storage
        var none: [[UInt8]] = []
        let writer = try JournalFixture.open(storage, &none)
        var anchors: [(UInt64, ChainValue)] = [(0, writer.chainHead)]
        for number in 1...20 {
            try writer.append { $0.append(contentsOf: JournalFixture.record(number)) }
            try writer.commit()
            anchors.append((UInt64(number), writer.chainHead))
        }
        for (sequence, anchor) in anchors {
            var verifier = verifier(fixture, anchor: anchor)
            #expect(try verifier.run().anchorSequence == sequence)
        }
        let text = anchors[5].1.description
        #expect(ChainValue(hexadecimal: text) == anchors[5].1)
        #expect(ChainValue(hexadecimal: String(text.dropLast(2))) == nil)
        var verifier = verifier(fixture, anchor: .zero)
        #expect(try verifier.run().anchorSequence == 0, "every journal begins with zeros")
        var foreign = JournalVerifier(
            directory: CrashWorkload.directory, storage: storage,
            anchor: ChainValue(hexadecimal: String(repeating: "ab", count: 32)))
        #expect(try foreign.run().anchorSequence == nil)
    }

    @Test func `a torn tail and a bad snapshot are said and are no damage`() throws {
        let fixture = try JournalFixture(snapshots: [6, 10])
        fixture.edit(JournalFixture.third) { $0[3000] ^= 1 }
        fixture.edit("0000000010.snapshot") { $0[600] ^= 1 }
        var verifier = verifier(fixture)
        let result = try verifier.run()
        #expect(result.damage == nil && result.records == 14)
        #expect(result.torn?.file == JournalFixture.third && result.torn?.offset == 2560)
        #expect(
            result.snapshotsDamaged == [SnapshotDamage(file: "0000000010.snapshot", offset: 512)])
    }

    /// Every changed byte is damage, or a torn tail, or was after the last frame.
    @Test func `every changed sector is noticed`() throws {
        for name in JournalFixture.names {
            for offset in stride(from: 3, to: 8192, by: 256) {
                let fixture = try JournalFixture(idle: true)
                fixture.edit(name) { $0[offset] ^= 0x20 }
                var verifier = verifier(fixture)
                let result = try verifier.run()
                let isTorn = name == JournalFixture.third && offset >= 4608
                #expect((result.damage != nil) != isTorn, "\(name) at \(offset)")
                #expect(!isTorn || result.torn != nil || result.damage != nil)
            }
        }
    }

    @Test func `a disk that cannot be read is not called damage`() throws {
        let fixture = try JournalFixture()
        fixture.storage.setPlan(.failing(.read, .ioError))
        var verifier = verifier(fixture)
        let path = JournalFixture.path("identity")
        #expect(
            throws: JournalError.unusable(operation: "read", path: path, .ioError)
        ) { _ = try verifier.run() }
    }
}
