import JSON
import Platform
import TestSupport
import Testing

@testable import Simulator

@Suite struct RejectionTailTests {
    private func line(_ id: String, bodyBytes: Int) -> [UInt8] {
        let body = String(repeating: "x", count: bodyBytes)
        return Array(
            (#"{"id":"\#(id)","endpoint":"antom","reason":"r","request":{"method":"POST","#
                + #""target":"/","headers":[],"body":"\#(body)"}}"# + "\n").utf8)
    }

    private func newest(
        _ previous: [UInt8], _ present: [UInt8], entriesMin: Int = 100
    ) throws -> [RejectionEntry] {
        let folder = TemporaryFolder()
        for (name, bytes) in zip(RejectionEntry.fileNames, [previous, present]) {
            try folder.write(bytes, to: name)
        }
        return RejectionTail.newest(
            inFolder: folder.path, seal: .rejections([]), bytesMin: 4096,
            entriesMin: entriesMin)
    }

    /// One request of 1 MiB does not hide earlier entries.
    @Test func `a long entry does not hide earlier ones`() throws {
        let short = (0..<3).flatMap { line("a\($0)", bodyBytes: 10) }
        let long = line("b", bodyBytes: 3 << 20)
        let entries = try newest(short, long)
        #expect(entries.map(\.id) == ["b", "a2", "a1", "a0"])
        #expect(entries.first?.bodyBytes == 3 << 20)
        #expect(entries.allSatisfy { $0.request.body.isEmpty && $0.line.isEmpty })
        #expect(try newest(short + long, []).map(\.id) == ["b", "a2", "a1", "a0"])
    }

    @Test func `reading stops after enough entries`() throws {
        let many = (0..<1000).flatMap { line("a\($0)", bodyBytes: 100) }
        let entries = try newest(many, many, entriesMin: 50)
        #expect(entries.count == 50)
        #expect(entries.first?.id == "a999" && entries.last?.id == "a950")
    }

    /// A full disk truncated the last line, before its newline.
    @Test func `a truncated line is skipped`() throws {
        let torn = line("a0", bodyBytes: 10) + line("a1", bodyBytes: 10).dropLast(9)
        #expect(try newest([], torn).map(\.id) == ["a0"])
        #expect(try newest([], line("a0", bodyBytes: 1).dropLast()).map(\.id) == ["a0"])
        #expect(try newest([], []).isEmpty)
    }
}
