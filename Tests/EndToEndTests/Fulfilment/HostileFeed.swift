import Foundation
import TestSupport

/// Events that have made shops ship what was not paid, or stop: what a consumer decides about each
/// order at the end is known.
enum HostileFeed {
    /// The shop's own orders, by endpoint and reference.
    static let totals = [
        "antom/A": "4200 MYR", "antom/B": "4200 MYR", "antom/C": "4200 MYR", "antom/D": "4200 MYR",
        "antom/E": "4200 MYR", "antom/F": "4200 MYR", "antom/G": "4200 MYR", "antom/H": "4200 MYR",
        "antom/I": "4200 MYR", "antom/J": "4200 MYR", "antom/K": "4200 MYR", "antom/M": "4200 MYR",
        "antom/N": "4200 MYR", "antom/O": "4200 MYR", "antom/P": "4200 MYR", "antom/Q": "4200 MYR",
        "antom/a b'\"\u{e9}/c": "4200 MYR", "citcon/A": "9900 JPY", "antom/R": "4200 MYR",
    ]

    /// What is decided at the end: `ship` or `hold` with the cause.
    static let decisions = [
        "antom/A": "ship 4200 MYR", "antom/~T-0": "hold no reference", "antom/B": "hold refunded",
        "antom/C": "hold review", "antom/D": "hold partially_refunded",
        "antom/E": "hold charged_back", "antom/F": "hold 100 MYR", "antom/G": "hold 4200 SGD",
        "antom/I": "hold test_mode", "antom/J": "ship 4200 MYR", "antom/M": "hold settled",
        "antom/N": "hold an unknown amount", "antom/O": "hold disputed",
        "antom/P": "hold paid_twice", "antom/Q": "ship 4200 MYR", "antom/unknown": "hold 4200 MYR",
        "antom/a b'\"\u{e9}/c": "ship 4200 MYR", "citcon/A": "ship 9900 JPY",
        "antom/R": "hold test_mode",
    ]

    static let events: [String] = [
        order("A", "paid"),
        // A capture that came before its payment: only the provider's id is known.
        record(
            #""order":{"status":"paid","transaction":"T-0",\#(amount(4200, "MYR"))}"#,
            ["unjoined"]),
        order("B", "paid"), order("C", "review", flags: ["conflict"]),
        order("D", "paid"), order("D", "partially_refunded"), order("E", "paid"),
        order("F", "paid", minor: 100), order("G", "paid", currency: "SGD"),
        // Genuine, but about no order.
        record(#""event":{"id":"x","kind":"activation","status":"ok"}"#, []),
        order("A", "paid", endpoint: "citcon", minor: 9900, currency: "JPY"),
        order("H", "pending"), order("H", "authorized"), order("I", "paid", flags: ["test_mode"]),
        order("J", "review", flags: ["conflict"]), order("B", "refunded"),
        order("J", "paid", flags: ["conflict", "resolved"]), order("K", "failed"),
        order("E", "disputed"), order("E", "charged_back"), order("A", "paid"),
        order("M", "settled"),
        record(#""order":{"reference":"N","status":"paid","amount":null}"#, []),
        order("O", "paid"), order("O", "disputed"), order("P", "paid", flags: ["paid_twice"]),
        order("Q", "paid", flags: ["paid_twice", "resolved"]), order("unknown", "paid"),
        order(#"a b'\"\u00e9/c"#, "paid"),
        order("R", "paid", flags: ["resolved", "test_mode"]),
    ].enumerated().map { #"{"sequence":\#($0.offset + 1),\#($0.element)}"# }

    private static func order(
        _ reference: String, _ status: String, endpoint: String = "antom", minor: Int = 4200,
        currency: String = "MYR", flags: [String] = []
    ) -> String {
        let order =
            #""order":{"reference":"\#(reference)","status":"\#(status)","transaction":"T","#
            + "\(amount(minor, currency))}"
        return record(order, flags, endpoint: endpoint)
    }

    private static func record(
        _ members: String, _ flags: [String], endpoint: String = "antom"
    ) -> String {
        let list = flags.map { "\"\($0)\"" }.joined(separator: ",")
        return #""schema":1,"endpoint":"\#(endpoint)","flags":[\#(list)],\#(members)"#
    }

    private static func amount(_ minor: Int, _ currency: String) -> String {
        #""amount":{"minor":\#(minor),"currency":"\#(currency)"}"#
    }

    static let store = String(repeating: "5", count: 32)

    /// A feed that fails before its first pages, in another way each time, and refuses the token at
    /// its end.
    static func serve(pageSize: Int) throws -> LocalServer {
        let count = Box(0)
        return try LocalServer(once: { request in
            guard let match = request.firstMatch(of: #/[?&]after=([0-9]+)/#),
                let after = Int(match.1)
            else { return LocalServer.answer(400) }
            count.update { $0 += 1 }
            switch count.get() {
            case 1: return LocalServer.answer(500)
            case 3: return LocalServer.answer(429, "Retry-After: 1\r\n")
            case 5: return LocalServer.answer(410)
            case 7: return LocalServer.answer(body: #"{"store":""#)
            case 9: return nil
            default: break
            }
            let page = events.dropFirst(after).prefix(pageSize)
            guard !page.isEmpty else { return LocalServer.answer(401) }
            let gap = after == 0 ? #","gap":{"from":0,"to":0}"# : ""
            let next = after + page.count
            return LocalServer.answer(
                body: #"{"store":"\#(store)","next":\#(next)\#(gap),"#
                    + #""events":[\#(page.joined(separator: ","))]}"#)
        })
    }
}
