import Bytes
import Payments
import TestSupport
import Testing

@testable import Simulator

/// The requests of a rejection log that `ipnd replay` sends.
@Suite struct ReplaySourceTests {
    private let folder = TemporaryFolder()

    private static func line(
        _ id: String, _ received: String, endpoint: String = "antom", nearest: String? = nil
    ) -> String {
        let nearest = nearest.map { #""nearest":"\#($0)","# } ?? ""
        return #"{"id":"\#(id)","received":"\#(received)","endpoint":"\#(endpoint)",\#(nearest)"#
            + #""provider":"\#(endpoint.isEmpty ? "" : "antom")","reason":"signature_mismatch","#
            + #""detail":"no","client":"192.0.2.1","request":{"method":"POST","#
            + #""target":"/ipn/\#(id)","headers":[["X-B","é"]],"bodyBase64":"AP8="}}"# + "\n"
    }

    /// Two files, as after one rotation of the log.
    private func writeLog() throws {
        try folder.write(
            "rejections.previous.jsonl",
            Self.line("a1", "2026-11-21T07:00:00Z") + Self.line("a2", "2026-11-21T07:00:01.5Z"))
        try folder.write(
            "rejections.jsonl",
            Self.line("b1", "2026-11-21T08:00:00Z", endpoint: "opp")
                + Self.line("b2", "2026-11-21T09:00:00Z", endpoint: "", nearest: "opp")
                + Self.line("b3", "yesterday"))
    }

    private func names(
        _ path: String, _ change: (inout ReplaySource.Selection) throws -> Void = { _ in }
    ) throws -> [String] {
        var selection = ReplaySource.Selection()
        try change(&selection)
        var names: [String] = []
        try ReplaySource(path: path).forEach(selection) { item in
            names.append(item.name)
            return true
        }
        return names
    }

    @Test func `a folder is the whole log, a file its part`() throws {
        try writeLog()
        #expect(try names(folder.path) == ["a1", "a2", "b1", "b2", "b3"])
        #expect(try names(folder.file("rejections.jsonl")) == ["b1", "b2", "b3"])
    }

    @Test func `an entry is sent unchanged`() throws {
        try writeLog()
        var items: [ReplayItem] = []
        try ReplaySource(path: folder.path).forEach { item in
            items.append(item)
            return items.count < 4
        }
        try #require(items.count == 4, "it ends when there is no one to send to")
        #expect(items[0].endpoint == "antom" && items[0].provider == "antom")
        #expect(items[0].received == Timestamp(iso8601: "2026-11-21T07:00:00Z"))
        #expect(items[0].request.body == [0x00, 0xFF])
        #expect(String(decoding: items[0].request.target, as: UTF8.self) == "/ipn/a1")
        // For an unknown path, the probable endpoint.
        #expect(items[3].endpoint == "opp" && items[3].provider == nil)
    }

    @Test func `an entry is selected by its id`() throws {
        try writeLog()
        #expect(try names(folder.path) { $0.id = "a2" } == ["a2"])
        #expect(throws: ReplayError.noEntry(folder.path, id: "a9")) {
            try names(folder.path) { $0.id = "a9" }
        }
    }

    /// An entry with an invalid time is not sent.
    @Test(arguments: [
        ("2026-11-21T07:00:00Z", ["a1", "a2", "b1", "b2"]),
        ("2026-11-21T07:00:01Z", ["a2", "b1", "b2"]),
        ("2026-11-21T07:00:01.5Z", ["a2", "b1", "b2"]),
        ("2026-11-21T09:00:00Z", ["b2"]),
    ])
    func `entries are selected by their time`(_ since: String, _ expected: [String]) throws {
        try writeLog()
        let time = try #require(Timestamp(iso8601: since))
        #expect(try names(folder.path) { $0.since = time } == expected)
    }

    @Test func `a time after all entries selects none`() throws {
        try writeLog()
        #expect(throws: ReplayError.noEntry(folder.path, id: "from that time on")) {
            try names(folder.path) { $0.since = Timestamp(iso8601: "2026-11-22T00:00:00Z") }
        }
        // All conditions must hold.
        #expect(throws: ReplayError.noEntry(folder.path, id: "a1")) {
            try names(folder.path) {
                ($0.id, $0.since) = ("a1", Timestamp(iso8601: "2026-11-21T08:00:00Z"))
            }
        }
    }

    @Test func `entries are selected by their endpoint`() throws {
        try writeLog()
        #expect(try names(folder.path) { $0.endpoint = "antom" } == ["a1", "a2", "b3"])
        #expect(try names(folder.path) { $0.endpoint = "opp" } == ["b1", "b2"])
        let error = #expect(throws: ReplayError.noEndpoint("antmo", known: ["antom", "opp"])) {
            try names(folder.path) { $0.endpoint = "antmo" }
        }
        #expect(error.map { "\($0)" }?.hasSuffix("did you mean `antom`?") == true)
    }
}
