import Foundation
import Payments
import RawClient
import TestSupport
import Testing

@testable import Simulator

@Suite struct ReplayTests {
    private static var clock: ScaledClock { ScaledClock(ManualClock(skipsWaits: true), speed: 1) }

    private func item(_ second: Int64, provider: String? = nil) throws -> ReplayItem {
        let raw = Array("POST /ipn/a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi".utf8)
        return ReplayItem(
            name: "#\(second)", provider: provider,
            received: Timestamp(microseconds: second * 1_000_000),
            request: try #require(CapturedRequest(raw: raw)), raw: raw)
    }

    @Test(arguments: [
        ("fastest", [0, 0, 0]), ("recorded", [0, 5, 65]), ("0.1-per-second", [0, 10, 20]),
    ])
    func `requests are sent at the given pace`(_ text: String, _ seconds: [Int64]) throws {
        let clock = Self.clock
        let pace = try #require(ReplayPace(text))
        var replayer = Replayer(
            courier: FakeCourier([.answer(200)]), host: "h", pace: pace, clock: clock)
        let sent = try [Int64(100), 105, 165].map { second in
            _ = replayer.send(try item(second))
            return clock.elapsed.components.seconds
        }
        #expect(sent == seconds)
    }

    @Test(arguments: ["", "0-per-second", "-1-per-second", "x-per-second", "5", "inf-per-second"])
    func `other texts are not a pace`(_ text: String) {
        #expect(ReplayPace(text) == nil)
    }

    @Test func `a raw request is sent byte for byte`() throws {
        let courier = FakeCourier([.answer(200)])
        var replayer = Replayer(courier: courier, host: "other", clock: Self.clock)
        let item = try item(1)
        _ = replayer.send(item)
        #expect(courier.requests == [item.raw])
    }

    @Test func `a path in the URL replaces the target`() throws {
        let courier = FakeCourier([.answer(200)])
        var replayer = Replayer(
            courier: courier, host: "other", target: "/new?x", clock: Self.clock)
        _ = replayer.send(try item(1))
        #expect(
            String(decoding: courier.requests[0], as: UTF8.self)
                == "POST /new?x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
    }

    @Test(
        arguments: [
            (nil, 202, "", true), (nil, 302, "", false), ("antom", 200, "", false),
            ("antom", 200, #"{"result":{"resultStatus":"S"}}"#, true),
            ("citcon-pay", 200, "ok", true),
            ("citcon-pay", 200, "", false), ("opp", 204, "", true), ("hmac", 204, "", true),
        ] as [(String?, Int, String, Bool)])
    func `each answer is checked by its provider's rules`(
        _ provider: String?, _ status: Int, _ body: String, _ accepts: Bool
    ) throws {
        var replayer = Replayer(
            courier: FakeCourier([.answer(status, body)]), host: "h", clock: Self.clock)
        let exchange = replayer.send(try item(1, provider: provider))
        #expect((exchange.verdict == .accepted) == accepts)
        var tally = ReplayTally()
        tally.add(exchange)
        #expect(tally.exitStatus == (accepts ? 0 : 1))
    }

    @Test func `files are sent in the order of their names`() throws {
        let folder = TemporaryFolder()
        for name in ["2.http", "1.http", "notes.txt"] {
            try folder.write(name, "GET /\(name) HTTP/1.1\r\n\r\n")
        }
        var names: [String] = []
        try ReplaySource(path: folder.path).forEach { item in
            names.append(item.name)
            return true
        }
        #expect(names == ["1.http", "2.http"])
        #expect(throws: ReplayError.nothingToSend("/proc/self/task")) {
            try ReplaySource(path: "/proc/self/task")
        }
        #expect(throws: ReplayError.missing("/nonexistent")) {
            try ReplaySource(path: "/nonexistent")
        }
    }
}
