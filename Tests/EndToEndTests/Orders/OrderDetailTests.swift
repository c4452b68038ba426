import Foundation
import TestSupport
import Testing

/// The output of `ipnd orders REFERENCE`, section by section.
@Suite(.ownThreads) struct OrderDetailTests {
    /// The command's output by section title: the lines before the first section under "", then the
    /// lines of each section without its table heading.
    private struct Shown {
        var sections: [String: [String]] = [:]
        let text: String

        init(_ instance: Instance, _ endpoint: String, _ reference: String) throws {
            // The order is looked up in the index, which lags.
            let admin = try instance.admin()
            let order = try admin.get("/orders/\(endpoint)/\(reference)").object()
            let last = try #require(order["last"] as? Int)
            let isIndexed = try eventually {
                try admin.get("/orders?limit=1").object()["indexed"] as? Int ?? 0 >= last
            }
            try #require(isIndexed)
            let shown = try run(
                Binary.ipnd,
                [
                    "orders", reference, "--endpoint", endpoint, "--config",
                    instance.configurationFile, "--url", "http://127.0.0.1:\(instance.adminPort)",
                ])
            #expect(shown.status == 0, "\(shown.errors)")
            text = shown.output
            var title = ""
            var isFirst = false
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.isEmpty {
                    isFirst = true
                } else if isFirst {
                    (title, isFirst) = (String(line), false)
                    sections[title] = []
                } else {
                    sections[title, default: []].append(
                        line.split(separator: " ").joined(separator: " "))
                }
            }
        }

        subscript(_ title: String) -> [String] { sections[title] ?? [] }
    }

    @Test func `captures and aliases`() throws {
        let instance = try Instance { configuration in
            configuration.replacing(
                "    clientID: SANDBOX_1", with: "    clientID: SANDBOX_1\n    capture: manual")
        }
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "CAP-1").request())
        for (number, minor) in [(1, 1000), (2, 1200)] as [(Int, Int64)] {
            try instance.deliver(
                antom.delivery(.captured, reference: "CAP-1", minor: minor, number: number)
                    .request())
        }
        let shown = try Shown(instance, "antom", "CAP-1")
        #expect(shown[""].first == "antom/CAP-1 PAID", "\(shown.text)")
        for fact in [
            "amount 22.00 MYR", "authorized 42.00 MYR", "captured 22.00 MYR",
            "aliases CAP-1-C1, CAP-1-C2",
        ] {
            #expect(shown[""].contains(fact), "\(fact) is not in\n\(shown.text)")
        }
        #expect(!shown[""].contains { $0.hasPrefix("refunded") }, "nothing went back")
        #expect(shown["flags"].count == 1)
        #expect(shown["captures"].count == 3, "\(shown.text)")
        #expect(shown["captures"].dropFirst().map { $0.hasSuffix("MYR") } == [true, true])
        #expect(shown["timeline"].dropFirst().map { $0.prefix(2) } == ["1 ", "2 ", "3 "])
        #expect(shown.sections["refunds"] == nil && shown.sections["disputes"] == nil)
    }

    @Test func `refunds and disputes`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "BACK-1").request())
        try instance.deliver(
            antom.delivery(.refunded, reference: "BACK-1", minor: 1050).request())
        try instance.deliver(antom.delivery(.disputed, reference: "BACK-1").request())
        let shown = try Shown(instance, "antom", "BACK-1")
        #expect(shown[""].contains("refunded 10.50 MYR"), "\(shown.text)")
        #expect(shown["refunds"].count == 2, "\(shown.text)")
        #expect(shown["refunds"].last?.contains("succeeded 10.50 MYR") == true)
        #expect(shown["disputes"].count == 2, "\(shown.text)")
        #expect(shown["disputes"].last?.contains(" open 42.00 MYR") == true)
        #expect(shown["attempts"].count == 2)
    }

    @Test func `refunds of unknown sums`() throws {
        let instance = try Instance()
        let citcon = try SandboxProvider("citcon", of: instance)
        try instance.deliver(citcon.delivery(.paid, reference: "CLAIM-1").request())
        try instance.deliver(
            citcon.delivery(.refunded, reference: "CLAIM-1", minor: 700).request())
        let shown = try Shown(instance, "citcon", "CLAIM-1")
        #expect(shown["refunds of unknown sums"].count == 2, "\(shown.text)")
    }

    @Test func `why a payment failed`() throws {
        let instance = try Instance()
        let delivery = try Forgery(instance: instance).opp(
            "DB", "PAY-9", amount: "10.00", code: "800.100.153",
            ["merchantTransactionId": "WHY-1"])
        try instance.deliver(delivery.request())
        let shown = try Shown(instance, "opp", "WHY-1")
        let reason = "800.100.153: \(Forgery.description)"
        #expect(shown[""].contains("reason \(reason)"), "\(shown.text)")
        #expect(shown["attempts"].last?.hasSuffix(reason) == true)
    }

    /// An overruled resolution is shown, marked as such.
    @Test func `two amounts and what a person made of them`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        func tell(_ minor: Int64) throws {
            try instance.deliver(antom.delivery(reference: "TWO-1", minor: minor).request())
        }
        try tell(4200)
        try tell(9900)
        let admin = try instance.admin()
        #expect(
            try admin.post(
                "/orders/antom/TWO-1/resolve",
                #"{"reason":"called them","last":2,"status":"paid","captured":"#
                    + #"{"minor":9900,"currency":"MYR"}}"#
            ).status == 200)
        let resolved = try Shown(instance, "antom", "TWO-1")
        #expect(resolved[""].contains("claims 42.00 MYR, 99.00 MYR"), "\(resolved.text)")
        let sentence = try #require(resolved[""].first { $0.hasPrefix("resolved paid by admin") })
        #expect(sentence.hasSuffix(": called them"))
        try tell(300)
        let again = try Shown(instance, "antom", "TWO-1")
        #expect(again[""].first == "antom/TWO-1 REVIEW")
        #expect(
            again[""].contains { $0.hasSuffix(": called them (does not count any more)") },
            "\(again.text)")
    }
}
