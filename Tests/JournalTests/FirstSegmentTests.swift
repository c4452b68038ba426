import TestSupport
import Testing

@testable import Journal

/// A journal begins with a small segment, so that the first starts are short. Later segments have
/// their full size.
@Suite struct FirstSegmentTests {
    private static let options: JournalOptions = {
        var options = JournalOptions()
        options.segmentBytes = 24 << 20
        return options
    }()

    @Test func `the first is small and the next is not`() throws {
        let folder = TemporaryFolder()
        let storage = PosixStorage()
        let writer = try JournalWriter.open(directory: folder.path, options: Self.options) { _, _ in
        }
        let sizes = {
            try storage.list(folder.path).filter { $0.hasSuffix(".segment") }.sorted().map {
                try storage.open(folder.path + "/" + $0, for: .reading).bytes()
            }
        }
        #expect(try sizes() == [16 << 20])
        for number in UInt8(1)...6 {
            try writer.append { $0 += [UInt8](repeating: number, count: 3 << 20) }
            try writer.commit()
        }
        #expect(try sizes() == [16 << 20, 24 << 20])
        writer.close()
        var found: [UInt8] = []
        try JournalWriter.open(directory: folder.path, options: Self.options) { _, record in
            found.append(record[0])
        }.close()
        #expect(found == [1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [(1 << 20, 1 << 20), (64 << 20, 16 << 20), (16 << 20, 16 << 20)])
    func `it is never larger than others`(segmentBytes: Int, first: Int) {
        var options = JournalOptions()
        options.segmentBytes = segmentBytes
        #expect(options.firstSegmentBytes == first)
    }

    @Test func `a frame fits whatever its limit`() {
        var options = JournalOptions()
        options.frameBytesMax = Format.frameBytesCeiling
        #expect(options.mistake == nil)
        options.segmentBytes = options.firstSegmentBytes
        #expect(options.mistake == nil)
    }
}
