import Payments
import Testing

@testable import Simulator

@Suite struct RejectionEntryTests {
    private static let line =
        #"{"id":"a1","received":"2026-11-21T07:00:00Z","endpoint":"antom","provider":"antom","#
        + #""reason":"signature_mismatch","detail":"no","client":"192.0.2.1","request":"#
        + #"{"method":"POST","target":"/ipn/antom","headers":[["X-B","é"]],"bodyBase64":"AP8="}}"#

    @Test func `an entry of the receiver is read`() throws {
        let entry = try #require(RejectionEntry(line: Array(Self.line.utf8)[...]))
        #expect(entry.id == "a1")
        #expect(entry.receivedTime?.rfc3339.hasPrefix("2026-11-21T07:00:00") == true)
        #expect(entry.reason == "signature_mismatch")
        #expect(entry.request.body == [0x00, 0xFF])
        // Header bytes are written as Latin-1 code points.
        #expect(entry.request.headers.map { Array($0.value) } == [[0xE9]])
    }

    @Test func `an entry with an unknown path names the nearest endpoint`() throws {
        let line = Self.line.replacing(
            #""endpoint":"antom""#, with: #""endpoint":"","nearest":"antom""#)
        let entry = try #require(RejectionEntry(line: Array(line.utf8)[...]))
        #expect(entry.endpoint.isEmpty && entry.nearest == "antom")
        #expect(RejectionEntry(line: Array(Self.line.utf8)[...])?.nearest == nil)
    }

    @Test func `a truncated line is counted and skipped`() {
        let log = Self.line + "\n" + String(Self.line.prefix(40)) + "\n" + Self.line + "\n"
        let (entries, broken) = RejectionEntry.entries(of: Array(log.utf8))
        #expect(entries.count == 2)
        #expect(broken == 1)
    }
}
