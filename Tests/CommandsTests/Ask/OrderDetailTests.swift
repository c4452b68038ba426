import JSON
import Testing

@testable import Commands

@Suite struct OrderDetailTests {
    private static func lines(
        _ order: String, listed: String? = nil, records: [String] = []
    ) throws -> [String] {
        let parse = { (text: String) throws(JSONError) in
            try JSONDocument(parsing: Array(text.utf8), limits: .trusted).root
        }
        return OrderDetail(
            order: try parse(order), listed: try parse(listed ?? order),
            records: try records.map(parse)
        ).lines
    }

    private static let money = #"{"minor":4200,"currency":"MYR"}"#

    @Test func `the first line has endpoint, reference and status`() throws {
        let order = #"{"endpoint":"antom","reference":"A-1","status":"paid"}"#
        #expect(try Self.lines(order) == ["antom/A-1  PAID"])
    }

    @Test func `amounts are shown with their currency, a refund of nothing is not`() throws {
        let order = """
            {"endpoint":"a","reference":"1","status":"paid","amount":\(Self.money),
            "captured":\(Self.money),"refunded":{"minor":0,"currency":"MYR"}}
            """
        #expect(
            try Self.lines(order) == [
                "a/1  PAID", "  amount      42.00 MYR", "  captured    42.00 MYR",
            ])
    }

    @Test func `a flag is shown with advice`() throws {
        let order = #"{"endpoint":"a","reference":"1","status":"review","flags":["conflict"]}"#
        let lines = try Self.lines(order)
        #expect(lines[1...2] == ["", "flags"])
        #expect(lines[3].hasPrefix("  conflict: "), "\(lines)")
        #expect(lines[3].count > 30, "\(lines)")
    }

    @Test func `attempts and their captures are tables`() throws {
        let order = """
            {"endpoint":"a","reference":"1","status":"paid","attempts":[{"transaction":"T-1",
            "status":"succeeded","amount":\(Self.money),"captures":[{"id":"C-1",
            "status":"succeeded","amount":\(Self.money)}]},{"transaction":"T-2","status":"failed",
            "reason":{"code":"51","message":"no funds"}}]}
            """
        #expect(
            try Self.lines(order)
                == [
                    "a/1  PAID",
                    "", "attempts",
                    "  transaction  status        amount  reason",
                    "  T-1          succeeded  42.00 MYR  ",
                    "  T-2          failed                51: no funds",
                    "", "captures",
                    "  id   status        amount  reason",
                    "  C-1  succeeded  42.00 MYR  ",
                ])
    }

    @Test func `the expectation and the metadata are shown`() throws {
        let order = """
            {"endpoint":"a","reference":"1","status":"pending","expected":{"amount":\(Self.money),
            "expires":"2026-12-01T00:00:00Z"}}
            """
        let listed = #"{"expected":{"metadata":{"cart":7}}}"#
        #expect(
            try Self.lines(order, listed: listed) == [
                "a/1  PENDING", "  expected    42.00 MYR, until 2026-12-01T00:00:00Z",
                #"  metadata    {"cart":7}"#,
            ])
    }

    @Test func `a decision that no longer counts is marked`() throws {
        let resolution = #""status":"paid","by":"ann","resolved":"T","reason":"slip""#
        for (stands, mark) in [("true", ""), ("false", " (does not count any more)")] {
            let order = """
                {"endpoint":"a","reference":"1","status":"paid","resolution":{\(resolution),
                "stands":\(stands)}}
                """
            #expect(
                try Self.lines(order).last == "  resolved    paid by ann at T: slip\(mark)")
        }
    }

    @Test func `the timeline says who acted and why`() throws {
        let record = """
            {"sequence":7,"received":"T","outcome":"recorded","order":{"status":"paid"},
            "event":{"kind":"order","status":"resolved","action":{"by":"ann","reason":"slip"}}}
            """
        let order = #"{"endpoint":"a","reference":"1","status":"paid"}"#
        let lines = try Self.lines(order, records: [record])
        #expect(lines[2] == "timeline")
        #expect(lines[4].contains("order resolved by ann (slip)"), "\(lines)")
    }

    @Test func `text of a stranger cannot steer the terminal`() throws {
        let order = #"{"endpoint":"a","reference":"1\u001b[2J","status":"paid","method":"x\u0007"}"#
        let text = try Self.lines(order).joined()
        #expect(!text.contains("\u{1B}") && !text.contains("\u{07}"))
    }
}
