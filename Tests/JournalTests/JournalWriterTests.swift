import Testing

@testable import Journal

@Suite struct JournalWriterTests {
    static func small() -> JournalOptions {
        var options = JournalOptions()
        options.segmentBytes = 16 << 10
        options.recordBytesMax = 1 << 10
        options.frameBytesMax = 4 << 10
        options.windowBytes = 8 << 10
        return options
    }

    @Test func committedRecordsAreReplayedInOrderAcrossSegments() throws {
        let directory = try TemporaryDirectory()
        var expected: [[UInt8]] = []
        for round in 0..<3 {
            var replayed: [[UInt8]] = []
            let writer = try JournalWriter.open(directory: directory.path, options: Self.small()) {
                #expect($0 == UInt64(replayed.count + 1))
                replayed.append([UInt8]($1))
            }
            #expect(replayed == expected)
            for batch in 0..<20 {
                for record in 0..<3 {
                    let bytes = [UInt8]("round \(round) batch \(batch) record \(record)".utf8)
                    let sequence = try writer.append { $0.append(contentsOf: bytes) }
                    expected.append(bytes)
                    #expect(sequence == UInt64(expected.count))
                }
                try writer.commit()
                #expect(writer.durableSequence == UInt64(expected.count))
            }
            writer.close()
        }
    }
}
