import Bytes
import Cryptography
import Foundation
import TestSupport
import Testing

/// PayPal's notifications at an endpoint with `inquiry`, with the real binary, and `ipnd simulate`
/// as PayPal.
@Suite(.ownThreads) struct UnconfirmedPaymentTests {
    private final class Shop {
        let instance: Instance
        let secret: String
        private let simulator: BackgroundProgram
        private let port: UInt16
        private let key: RSAPrivateKey

        init(_ storage: StorageKind = .journal, schedule: String) throws {
            let port = try FreePort.take()
            self.port = port
            instance = try Instance(
                on: storage,
                edit: {
                    $0.replacingOccurrences(
                        of: "provider: paypal\n",
                        with: """
                            provider: paypal
                                inquiry:
                                  url: "http://127.0.0.1:\(port)"
                                  clientID: client
                                  clientSecret: {file: secrets/adyen}
                                  schedule: \(schedule)
                                  secondsPerQuestion: 0.01
                                  secondsPerOrder: 0.01

                            """)
                }, starts: false)
            // Any text will do.
            secret = try String(
                contentsOfFile: "\(instance.folder)/secrets/adyen", encoding: .utf8
            ).trimmingCharacters(in: .whitespacesAndNewlines)
            key = try RSAPrivateKey(
                pem: String(
                    contentsOfFile: "\(instance.folder)/sandbox/paypal.pem", encoding: .utf8))
            try instance.start()
            simulator = try BackgroundProgram(
                Binary.ipnd,
                [
                    "simulate", "--config", instance.configurationFile, "--listen",
                    "127.0.0.1:\(port)",
                ])
            let program = simulator
            try #require(eventually { program.output.contains("ready ") }, "\(program.output)")
        }

        deinit { simulator.kill() }

        /// Makes the payment at the provider; its notification is sent, or lost.
        func pay(_ reference: String, _ more: String...) throws -> Finished {
            try run(
                Binary.ipnd,
                [
                    "send", "--endpoint", "paypal", "--config", instance.configurationFile,
                    "--reference", reference, "--simulator", "http://127.0.0.1:\(port)", "--url",
                    "http://127.0.0.1:\(instance.port)", "--admin",
                    "http://127.0.0.1:\(instance.adminPort)",
                ] + more)
        }

        func inquire(_ reference: String) throws -> Finished {
            try run(
                Binary.ipnd,
                [
                    "inquire", reference, "--endpoint", "paypal", "--config",
                    instance.configurationFile, "--url", "http://127.0.0.1:\(instance.adminPort)",
                ])
        }

        /// Sends a body under the signature of another one with the same CRC-32.
        func forge(_ reference: String, value: String) throws -> Int {
            let time = ISO8601DateFormatter().string(from: Date())
            func body(_ value: String) -> String {
                """
                {"id":"WH-\(reference)","event_type":"PAYMENT.CAPTURE.COMPLETED","resource":{\
                "id":"T-\(reference)","status":"COMPLETED","custom_id":"\(reference)",\
                "amount":{"currency_code":"MYR","value":"\(value)"}},"summary":"
                """
            }
            let genuine = Array("\(body("42.00"))a\"}".utf8)
            let forged = try #require(
                Collision.body(
                    before: Array(body(value).utf8), after: Array("\"}".utf8),
                    crc: CRC32.checksum(genuine)))
            let text = "\(reference)|\(time)|0SANDBOX000000000|\(CRC32.checksum(genuine))"
            let signature = Base64.encode(try key.signSHA256(Array(text.utf8)))
            let client = try instance.client()
            try client.send(
                """
                POST /ipn/paypal HTTP/1.1\r
                Host: pay.example\r
                Content-Length: \(forged.count)\r
                PayPal-Auth-Algo: SHA256withRSA\r
                PayPal-Cert-URL: https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1\r
                PayPal-Transmission-ID: \(reference)\r
                PayPal-Transmission-Time: \(time)\r
                PayPal-Transmission-Sig: \(signature)\r
                \r
                \(String(decoding: forged, as: UTF8.self))
                """)
            return try client.receive().status
        }

        /// The status, the captured sum and the flags that tell of something.
        func state(_ reference: String) throws -> String? {
            guard let order = try instance.order("paypal", reference) else { return nil }
            let captured = (order["captured"] as? [String: Any])?["minor"] as? Int ?? 0
            let flags = (order["flags"] as? [String] ?? []).filter { $0 != "test_mode" }
            return (["\(order["status"] ?? "")", "\(captured)"] + flags).joined(separator: " ")
        }
    }

    @Test(arguments: StorageKind.all)
    func `a forged sum is never paid, and PayPal's answer is`(_ storage: StorageKind) throws {
        let shop = try Shop(storage, schedule: "[]")
        #expect(try shop.forge("F-1", value: "1.00") == 200)
        #expect(try shop.forge("F-2", value: "4200.00") == 200)
        for reference in ["F-1", "F-2"] {
            #expect(try shop.state(reference) == "pending 0 unconfirmed")
            let unknown = try shop.inquire(reference)
            #expect(unknown.output.contains("absent"), "\(unknown)")
            #expect(try shop.state(reference) == "pending 0 unconfirmed")
            let paid = try shop.pay(reference, "--transaction", "T-\(reference)", "--lose")
            #expect(paid.status == 0, "\(paid)")
        }
        #expect(shop.instance.stop() == 0)
        try shop.instance.start()
        for reference in ["F-1", "F-2"] {
            #expect(try shop.state(reference) == "pending 0 unconfirmed")
            let asked = try shop.inquire(reference)
            #expect(asked.status == 0, "\(asked)")
            #expect(try shop.state(reference) == "paid 4200 amounts_differ")
        }
        let records = "\(try shop.instance.records())"
        #expect(records.contains("unconfirmed") && records.contains("v2/payments/captures"))
        for secret in [shop.secret, "Bearer", "A21-"] {
            #expect(!records.contains(secret) && !shop.instance.logText.contains(secret))
        }
    }

    @Test func `an honest payment is confirmed at once`() throws {
        let shop = try Shop(schedule: "[0.1, 0.5, 2, 5]")
        let paid = try shop.pay("H-1", "--scenario", "authorized-captured")
        #expect(paid.status == 0, "\(paid)")
        let isPaid = try eventually { try shop.state("H-1") == "paid 4200" }
        #expect(isPaid, "\(paid) \(shop.instance.logText)")
        _ = try shop.pay("H-2", "--scenario", "partial-refunds")
        #expect(try eventually { try shop.state("H-2") == "partially_refunded 4200" })
        #expect(try shop.forge("F-1", value: "1.00") == 200)
        let absent = "ipnd_inquiries_total{endpoint=\"paypal\",result=\"absent\"}"
        #expect(try eventually { try shop.instance.metric(absent) ?? 0 >= 1 })
        #expect(try shop.state("F-1") == "pending 0 unconfirmed")
    }

    @Test func `an order without an id is not asked about`() throws {
        let shop = try Shop(schedule: "[0.1]")
        let expected = try shop.instance.admin().post(
            "/orders/paypal/E-1", #"{"amount":{"minor":4200,"currency":"MYR"}}"#)
        #expect(expected.status == 201, "\(expected.body)")
        let asked = try shop.inquire("E-1")
        #expect(asked.output.contains("not_asked"), "\(asked)")
        #expect(try shop.state("E-1") == "pending 0")
        let retry = "ipnd_inquiries_total{endpoint=\"paypal\",result=\"retry\"}"
        #expect(try shop.instance.metric(retry) == 0)
    }
}

/// Bodies with a chosen CRC-32. It is linear: each changed bit changes the checksum by the same
/// pattern, whatever the other bits are.
private enum Collision {
    /// The body with a text between the two parts that gives it this checksum.
    static func body(before: [UInt8], after: [UInt8], crc: UInt32) -> [UInt8]? {
        let count = 64
        let plain = before + [UInt8](repeating: UInt8(ascii: "a"), count: count) + after
        let checksum = CRC32.checksum(plain)
        // A row: a pattern of the checksum, and the changes that give it.
        var rows: [(pattern: UInt32, changes: UInt64)] = []
        for place in 0..<count {
            var changed = plain
            changed[before.count + place] ^= 2
            var row = (pattern: CRC32.checksum(changed) ^ checksum, changes: UInt64(1) << place)
            reduce(&row, by: rows)
            if row.pattern != 0 { rows.append(row) }
        }
        var wanted = (pattern: crc ^ checksum, changes: UInt64(0))
        reduce(&wanted, by: rows)
        guard wanted.pattern == 0 else { return nil }
        var body = plain
        for place in 0..<count where wanted.changes >> place & 1 == 1 {
            body[before.count + place] ^= 2
        }
        return CRC32.checksum(body) == crc ? body : nil
    }

    private static func reduce(
        _ row: inout (pattern: UInt32, changes: UInt64),
        by rows: [(pattern: UInt32, changes: UInt64)]
    ) {
        for other in rows {
            let leading = UInt32(1) << (31 - other.pattern.leadingZeroBitCount)
            if row.pattern & leading != 0 {
                row.pattern ^= other.pattern
                row.changes ^= other.changes
            }
        }
    }
}
