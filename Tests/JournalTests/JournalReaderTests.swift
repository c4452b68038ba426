import Foundation
import TestSupport
import Testing

@testable import Journal

@Suite struct JournalReaderTests {
    private func reader(
        _ fixture: JournalFixture, after sequence: UInt64 = 0,
        _ extent: JournalReader.Extent = .whole
    ) throws -> JournalReader {
        try JournalReader(
            directory: CrashWorkload.directory, storage: fixture.storage, after: sequence,
            extent: extent, options: JournalFixture.options)
    }

    private func sequences(
        _ reader: inout JournalReader, limit: Int = .max
    ) throws -> [UInt64] {
        var found: [UInt64] = []
        let count = try reader.read(limit: limit) { sequence, record in
            #expect([UInt8](record) == JournalFixture.record(Int(sequence)))
            found.append(sequence)
        }
        #expect(count == found.count && (found.isEmpty || reader.lastSequence == found.last))
        return found
    }

    @Test(arguments: [0, 1, 2, 5, 6, 7, 11, 12, 15, 16, 40] as [UInt64])
    func `reading begins behind any sequence`(after: UInt64) throws {
        var reader = try reader(JournalFixture(), after: after)
        #expect(try sequences(&reader) == Array(stride(from: after + 1, through: 16, by: 1)))
        #expect(try sequences(&reader) == [])
    }

    @Test(arguments: [UInt64(Int64.max), .max - 1, .max])
    func `nothing stands behind the last number`(after: UInt64) throws {
        var reader = try reader(JournalFixture(), after: after)
        #expect(try sequences(&reader) == [])
    }

    @Test func `without the chain the checksums still count`() throws {
        let fixture = try JournalFixture()
        var reader = try JournalReader(
            directory: CrashWorkload.directory, storage: fixture.storage, followsChain: false,
            options: JournalFixture.options)
        #expect(try sequences(&reader) == Array(1...16))
        fixture[JournalFixture.second]?[Format.segmentHeaderBytes + 1000] ^= 1
        var again = try JournalReader(
            directory: CrashWorkload.directory, storage: fixture.storage, after: 6,
            followsChain: false, options: JournalFixture.options)
        #expect(throws: JournalError.self) { try again.read { _, _ in } }
    }

    @Test func `a limit stops in the middle of a frame`() throws {
        var reader = try reader(JournalFixture())
        var found: [UInt64] = []
        while true {
            let some = try sequences(&reader, limit: 3)
            if some.isEmpty { break }
            #expect(some.count <= 3)
            found += some
        }
        #expect(found == Array(1...16))
    }

    @Test func `only what stands before something later is durable`() throws {
        let fixture = try JournalFixture()
        var follower = try reader(fixture, .durable)
        #expect(try sequences(&follower) == Array(1...14), "nothing follows the last frame")
        let writer = try fixture.open().writer
        #expect(try sequences(&follower) == [])
        try writer.markIdle()
        #expect(try sequences(&follower) == [15, 16])
        #expect(try sequences(&follower) == [])
    }

    @Test func `a follower sees every record once across rotation`() throws {
        let storage = SimulatedStorage()
        var none: [[UInt8]] = []
        let writer = try JournalFixture.open(storage, &none)
        var whole = try JournalReader(
            directory: CrashWorkload.directory, storage: storage, options: JournalFixture.options)
        var durable = try JournalReader(
            directory: CrashWorkload.directory, storage: storage, extent: .durable,
            options: JournalFixture.options)
        for number in 1...60 {
            try writer.append { $0.append(contentsOf: JournalFixture.record(number)) }
            try writer.commit()
            if number % 7 == 0 { try writer.markIdle() }
            #expect(try sequences(&whole) == [UInt64(number)])
            let seen = durable.lastSequence
            let expected = UInt64(number % 7 == 0 ? number : number - 1)
            #expect(
                try sequences(&durable) == Array(stride(from: seen + 1, through: expected, by: 1)))
        }
    }

    /// A marker that is written between two reads must not be taken for a break of the chain.
    @Test func `a rotation behind an idle marker is followed`() throws {
        let fixture = try JournalFixture()
        var follower = try reader(fixture)
        #expect(try sequences(&follower).count == 16)
        let writer = try fixture.open().writer
        try writer.markIdle()
        for number in 17...24 {
            try writer.append { $0.append(contentsOf: JournalFixture.record(number)) }
            if number % 2 == 0 { try writer.commit() }
        }
        #expect(try sequences(&follower) == Array(17...24))
    }

    @Test func `a visitor that throws goes on behind the record`() throws {
        struct Enough: Error {}
        var reader = try reader(JournalFixture())
        for expected in 1...16 as ClosedRange<UInt64> {
            #expect(throws: Enough.self) {
                _ = try reader.read { sequence, _ in
                    #expect(sequence == expected)
                    throw Enough()
                }
            }
        }
        #expect(try sequences(&reader) == [])
    }

    @Test func `archived segments are read too`() throws {
        let fixture = try JournalFixture()
        var follower = try reader(fixture)
        #expect(try sequences(&follower, limit: 2) == [1, 2])
        try fixture.storage.makeDirectory("/journal/archive")
        for name in [JournalFixture.first, JournalFixture.second] {
            fixture.rename(name, to: "archive/" + name)
        }
        #expect(try sequences(&follower) == Array(3...16))
        var later = try reader(fixture)
        #expect(try sequences(&later) == Array(1...16))
    }

    @Test func `deleted segments are skipped from the front`() throws {
        let fixture = try JournalFixture()
        fixture[JournalFixture.first] = nil
        var reader = try reader(fixture)
        #expect(try sequences(&reader) == Array(7...16))
    }

    /// The writer reserves room for it in the segment before, but the format allows it; found by
    /// fuzzing.
    @Test(arguments: [JournalReader.Extent.whole, .durable])
    func `a first segment may begin with an idle marker`(_ extent: JournalReader.Extent) throws {
        let header = SegmentHeader(
            number: 9, firstSequence: 20, salt: Salt(bits: 7), created: 1, chain: .zero,
            segmentBytes: JournalFixture.options.segmentBytes, store: GoldenBytesTests.identity)
        var bytes = header.encoded()
        var chain = bytes.withUnsafeBytes { ChainValue(hashing: $0) }
        for (first, records) in [(20, 0), (20, 2), (22, 0)] {
            var frame = FrameBuilder()
            for number in first..<first + records {
                frame.append { $0.append(contentsOf: JournalFixture.record(number)) }
            }
            frame.seal(firstSequence: UInt64(first), chain: chain, salt: header.salt)
            bytes += frame.bytes
            chain = frame.bytes.withUnsafeBytes { ChainValue(hashing: $0) }
        }
        bytes += [UInt8](repeating: 0, count: header.segmentBytes - bytes.count)
        let fixture = try JournalFixture()
        for name in JournalFixture.names { fixture[name] = nil }
        fixture[Format.segmentName(firstSequence: 20)] = bytes
        var reader = try reader(fixture, extent)
        #expect(try sequences(&reader, limit: 1) == [20])
        #expect(try sequences(&reader) == [21])
        #expect(try sequences(&reader) == [])
    }

    @Test(arguments: [
        (JournalFixture.first, 600, Damage.Reason.frame, 512),
        (JournalFixture.second, 40, .segmentHeader, 0),
        (JournalFixture.third, 600, .frame, 512),
    ])
    func `damage is named`(name: String, position: Int, reason: Damage.Reason, offset: Int) throws {
        let fixture = try JournalFixture()
        fixture.edit(name) { $0[position] ^= 1 }
        var reader = try reader(fixture)
        let error = #expect(throws: JournalError.self) { _ = try reader.read { _, _ in } }
        guard case .damaged(let damage)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(damage.reason == reason && damage.file == name && damage.offset == offset)
    }

    @Test func `a missing segment is named`() throws {
        let fixture = try JournalFixture()
        fixture[JournalFixture.second] = nil
        var reader = try reader(fixture)
        let error = #expect(throws: JournalError.self) { _ = try reader.read { _, _ in } }
        #expect(error?.reason == "journal_segment_missing")
    }

    @Test func `a torn tail is the end`() throws {
        let fixture = try JournalFixture()
        fixture.edit(JournalFixture.third) { $0[3000] ^= 1 }
        var reader = try reader(fixture)
        #expect(try sequences(&reader) == Array(1...14))
    }

    /// A reader polls while a writer on another thread commits and rotates as fast as it can.
    @Test func `a reader keeps up with a writer on another thread`() async throws {
        let directory = TemporaryFolder()
        let total = 3000
        let path = directory.path
        let writing = Task.detached {
            let writer = try JournalWriter.open(
                directory: path, options: JournalWriterTests.options
            ) { _, _ in }
            for number in 1...total {
                try writer.append { $0.append(contentsOf: "record \(number)".utf8) }
                if number % 3 == 0 { try writer.commit() }
                if number % 300 == 0 { try writer.markIdle() }
            }
            writer.close()
        }
        var reader = try JournalReader(
            directory: path, extent: .durable, options: JournalWriterTests.options)
        var seen = 0
        while seen < total {
            seen += try reader.read { sequence, record in
                #expect(String(decoding: record, as: UTF8.self) == "record \(sequence)")
            }
            await Task.yield()
        }
        try await writing.value
        #expect(reader.lastSequence == UInt64(total))
    }
}
