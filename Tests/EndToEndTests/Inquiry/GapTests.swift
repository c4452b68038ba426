import Bytes
import Cryptography
import Foundation
import TestSupport
import Testing

/// A server that was away for four days reads what happened meanwhile from the provider's list.
@Suite(.ownThreads) struct GapTests {
    private static let created = Int(Date().timeIntervalSince1970) - 2 * 86_400

    private static let event =
        #"{"id":"evt_1","object":"event","type":"payment_intent.succeeded","created":\#(created),"#
        + #""livemode":true,"data":{"object":{"id":"pi_1","object":"payment_intent","#
        + #""amount":4200,"amount_received":4200,"currency":"eur","status":"succeeded","#
        + #""metadata":{"order_id":"ORDER-1"}}}}"#

    private func instance(_ provider: ProviderStub, _ storage: StorageKind) throws -> Instance {
        try Instance(
            on: storage,
            edit: { text in
                let secret = "    secrets: [{file: secrets/stripe}]\n"
                return text.replacingOccurrences(
                    of: secret,
                    with: secret + "    inquiry: {url: \"http://127.0.0.1:\(provider.port)\", "
                        + "apiKey: {file: secrets/adyen}, backfill: {afterGapMinutes: 10}}\n")
            })
    }

    /// Sets the mark back by `days`; nil where there is none yet.
    private func setBack(_ instance: Instance, days: Int) throws -> String? {
        let known = try mark(instance)
        guard let known, let start = known.range(of: #""covered":""#)?.upperBound else {
            return nil
        }
        let end = known[start...].firstIndex(of: "\"") ?? known.endIndex
        let time = Date().addingTimeInterval(-86_400 * Double(days))
        let early = known.replacingCharacters(
            in: start..<end, with: ISO8601DateFormatter().string(from: time))
        if let database = instance.database {
            try database.server.psql(
                "UPDATE ipnd.mark SET value = '\(early)' WHERE name = 'backfill stripe'",
                database: database.name)
        } else {
            try "stripe \(early)\n".write(
                toFile: "\(instance.journal).backfill", atomically: true, encoding: .utf8)
        }
        return known
    }

    private func mark(_ instance: Instance) throws -> String? {
        if let database = instance.database {
            let value = try database.server.psql(
                "SELECT value FROM ipnd.mark WHERE name = 'backfill stripe'",
                database: database.name)
            return value.contains("covered") ? value : nil
        }
        let file = "\(instance.journal).backfill"
        let line = try? String(contentsOfFile: file, encoding: .utf8)
        return line.map { String($0.dropFirst("stripe ".count)) }
    }

    private func notify(_ instance: Instance) throws -> Int {
        let secret = try String(
            contentsOfFile: "\(instance.folder)/secrets/stripe", encoding: .utf8)
        let time = Int(Date().timeIntervalSince1970)
        let key = HMACKey(.sha256, Array(secret.trimmingCharacters(in: .newlines).utf8))
        let code = key.code(parts: [Array("\(time).\(Self.event)".utf8)[...]])
        let client = try Client(port: instance.port)
        try client.send(
            """
            POST /ipn/stripe HTTP/1.1\r
            Host: localhost\r
            Stripe-Signature: t=\(time),v1=\(Hex.encode(code))\r
            Content-Length: \(Self.event.utf8.count)\r
            \r
            \(Self.event)
            """)
        return try client.receive().status
    }

    @Test(arguments: StorageKind.all)
    func `what happened meanwhile is read`(on storage: StorageKind) throws {
        let provider = try ProviderStub { _ in
            ProviderStub.answer(#"{"object":"list","data":[\#(Self.event)],"has_more":false}"#)
        }
        let instance = try instance(provider, storage)
        try #require(try eventually { try mark(instance) != nil })
        #expect(provider.requests.isEmpty, "a first start has no gap")
        #expect(instance.stop() == 0)
        try #require(try setBack(instance, days: 4) != nil)
        try instance.start()
        #expect(
            try eventually {
                try instance.order("stripe", "ORDER-1")?["status"] as? String == "paid"
            })
        #expect(instance.says("backfill stripe: notifications may have been lost from"))
        #expect(instance.says("backfill stripe: the list is read: 1 events, 1 new"))
        #expect(
            try instance.admin().get("/metrics").body.contains(
                "ipnd_backfill_records_total{endpoint=\"stripe\"} 1\n"))
        let request = try #require(provider.requests.first)
        #expect(request.hasPrefix("GET /v1/events?created%5Bgte%5D="), "\(request)")

        // A late retry of the provider's is a duplicate, and nothing is read twice.
        let records = try instance.records().count
        #expect(try notify(instance) == 200)
        #expect(try instance.records().count == records)
        let asked = provider.requests.count
        instance.stop(SIGKILL)
        try instance.start()
        #expect(try notify(instance) == 200)
        #expect(try instance.records().count == records && provider.requests.count == asked)
    }
}
