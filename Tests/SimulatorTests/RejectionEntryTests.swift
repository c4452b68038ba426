import Payments
import Sealing
import Testing

@testable import Simulator

@Suite struct RejectionEntryTests {
    private static let line =
        #"{"id":"a1","received":"2026-11-21T07:00:00Z","endpoint":"antom","provider":"antom","#
        + #""reason":"signature_mismatch","detail":"no","client":"192.0.2.1","request":"#
        + #"{"method":"POST","target":"/ipn/antom","headers":[["X-B","é"]],"bodyBase64":"AP8="}}"#

    private static func read(_ line: String) -> RejectionEntry? {
        RejectionEntry(line: Array(line.utf8)[...], seal: .rejections([]))
    }

    @Test func `an entry of the receiver is read`() throws {
        let entry = try #require(Self.read(Self.line))
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
        let entry = try #require(RejectionEntry(line: Array(line.utf8)[...], seal: .rejections([])))
        #expect(entry.endpoint.isEmpty && entry.nearest == "antom")
        #expect(Self.read(Self.line)?.nearest == nil)
    }

    @Test func `a truncated line is counted and skipped`() {
        let log = Self.line + "\n" + String(Self.line.prefix(40)) + "\n" + Self.line + "\n"
        let (entries, broken) = RejectionEntry.entries(
            of: Array(log.utf8), seal: .rejections([]))
        #expect(entries.count == 2)
        #expect(broken == 1)
    }

    private static let master = MasterKey(name: "first", key: [UInt8](repeating: 1, count: 32))!

    /// As the receiver writes it with a master key.
    private func sealed(_ line: String, bound: String) throws -> [UInt8] {
        let place = try #require(line.range(of: #","client":"#)?.lowerBound)
        let plain = "{" + line[place...].dropFirst()
        let seal = SideSeal.rejections([Self.master])
        let (master, box) = try #require(
            seal.seal(Array(plain.utf8), bound: Array(bound.utf8)))
        return Array(
            (line[..<place] + #","sealed":{"master":"\#(master)","bytes":"\#(box)"}}"#).utf8)
    }

    @Test func `a sealed entry is read with its master key only`() throws {
        let plain = try #require(
            RejectionEntry(line: Array(Self.line.utf8)[...], seal: .rejections([])))
        let line = try sealed(Self.line, bound: plain.id)
        let opened = RejectionEntry(line: line[...], seal: .rejections([Self.master]))
        #expect(opened == plain)
        let other = MasterKey(name: "first", key: [UInt8](repeating: 2, count: 32))!
        for masters in [[], [other]] {
            let entry = try #require(RejectionEntry(line: line[...], seal: .rejections(masters)))
            #expect(entry.lockedBy == "first" && entry.client == "sealed")
            #expect(entry.request.body.isEmpty && entry.reason == plain.reason)
        }
        // The part of another entry.
        let foreign = try sealed(Self.line, bound: "another")
        let entry = RejectionEntry(line: foreign[...], seal: .rejections([Self.master]))
        #expect(entry?.lockedBy == "first")
    }
}
