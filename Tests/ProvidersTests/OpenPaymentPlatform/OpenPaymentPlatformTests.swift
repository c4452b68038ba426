import Bytes
import Cryptography
import Payments
import Testing

@testable import Providers

@Suite struct OpenPaymentPlatformTests {
    static let hexKey = String(repeating: "0123456789abcdef", count: 4)
    static let otherKey = String(repeating: "f", count: 64)

    private static func provider(_ mode: EndpointSettings.Mode = .live) throws
        -> OpenPaymentPlatform
    {
        try OpenPaymentPlatform(
            settings: EndpointSettings(
                name: "o",
                [
                    "secrets": .secrets([Array(otherKey.utf8), Array(hexKey.utf8)]),
                    "mode": mode.settingValue,
                ]))
    }

    private static func delivery(_ plaintext: String, iv: [UInt8]? = nil) throws -> SignedRequest {
        let key = try AES256GCM(key: #require(Hex.decode(hexKey)))
        let iv = iv ?? [UInt8](repeating: 7, count: 12)
        let sealed = try key.seal(plaintext: Array(plaintext.utf8), iv: iv)
        return SignedRequest(
            headers: [
                ("x-initialization-vector", Hex.encode(iv)),
                ("x-authentication-tag", Hex.encode(sealed.tag)),
            ], body: Hex.encode(sealed.ciphertext))
    }

    private func read(
        _ plaintext: String, _ mode: EndpointSettings.Mode = .live
    ) throws -> Notification {
        try Self.provider(mode).receive(Self.delivery(plaintext))
    }

    private static func payment(
        _ type: String, _ code: String, amount: String = "\"42.00\"", currency: String = "\"EUR\"",
        reference: String = #","merchantTransactionId":"ORD-1""#,
        referenced: String = #","referencedId":"PAY-0""#
    ) -> String {
        """
        {"type":"PAYMENT","payload":{"id":"PAY-1","paymentType":"\(type)","amount":\(amount),\
        "currency":\(currency),"result":{"code":"\(code)"}\(reference)\(referenced),\
        "timestamp":"2015-12-07 16:46:07+0000"}}
        """
    }

    static let money = Money.of(4200, "EUR")

    /// Payment type, result code, and the effect at a live endpoint.
    @Test(arguments: [
        ("DB", "000.000.000", Effect.attempt(.paid, money), [] as [Flag]),
        ("DB", "000.100.105", .attempt(.paid, money), []),
        ("DB", "000.300.000", .attempt(.paid, money), []),
        ("DB", "000.600.000", .attempt(.paid, money), []),
        ("DB", "000.400.010", .attempt(.paid, money), [.providerReview]),
        ("DB", "000.400.000", .attempt(.paid, money), [.providerReview]),
        ("DB", "000.400.100", .attempt(.paid, money), [.providerReview]),
        ("DB", "000.400.110", .attempt(.pending, money), []),
        ("DB", "000.400.120", .attempt(.pending, money), []),
        ("DB", "000.300.100", .attempt(.pending, money), []),
        ("DB", "000.310.100", .attempt(.pending, money), []),
        ("DB", "000.200.100", .attempt(.pending, money), []),
        ("DB", "800.400.500", .attempt(.pending, money), []),
        ("DB", "100.400.500", .attempt(.pending, money), []),
        ("DB", "100.400.100", .attempt(.failed, money), []),
        ("DB", "800.100.153", .attempt(.failed, money), []),
        ("DB", "900.100.300", .attempt(.failed, money), []),
        ("DB", "000.400.030", .attempt(.failed, money), []),
        ("DB", "000.100.220", .dispute(id: "PAY-1", .lost, money), []),
        ("DB", "777.000.000", .attempt(.pending, nil), [.unknownStatus]),
        ("DB", "success", .attempt(.pending, nil), [.unknownStatus]),
        ("DB", "000.100.110", .none, [.testMode]), ("DB", "000.100.111", .none, [.testMode]),
        ("PA", "000.100.112", .none, [.testMode]), ("RF", "000.100.110", .none, [.testMode]),
        ("PA", "000.000.000", .attempt(.authorized, money), []),
        ("PA", "800.100.153", .attempt(.failed, money), []),
        ("CP", "000.000.000", .capture(id: "PAY-1", .succeeded, money), []),
        ("CP", "000.200.000", .capture(id: "PAY-1", .pending, money), []),
        ("CP", "700.400.510", .capture(id: "PAY-1", .failed, money), []),
        ("CP", "777.000.000", .capture(id: "PAY-1", .pending, nil), [.unknownStatus]),
        ("CP", "800.100.153", .capture(id: "PAY-1", .failed, money), []),
        ("RF", "000.000.000", .refund(id: "PAY-1", .succeeded, money), []),
        ("RF", "800.100.153", .refund(id: "PAY-1", .failed, money), []),
        ("RV", "000.000.000", .reversal(.operation, id: "PAY-1", .succeeded, money), []),
        ("RV", "800.100.153", .reversal(.operation, id: "PAY-1", .failed, money), []),
        ("CB", "000.000.000", .dispute(id: "PAY-1", .lost, money), []),
        ("CB", "000.100.220", .dispute(id: "PAY-1", .lost, money), []),
        ("CB", "000.200.000", .dispute(id: "PAY-1", .open, money), []),
        ("CR", "000.000.000", .reversal(.dispute, id: "PAY-1", .succeeded, money), []),
        ("CR", "000.200.000", .reversal(.dispute, id: "PAY-1", .pending, money), []),
        ("CD", "000.000.000", .none, [.unknownKind]), ("SD", "000.000.000", .none, [.unknownKind]),
        ("db", "000.000.000", .none, [.unknownKind]),
    ])
    func theDecisionTable(_ type: String, _ code: String, _ effect: Effect, _ flags: [Flag]) throws
    {
        let notification = try read(Self.payment(type, code))
        #expect(notification.effect == effect && notification.flags == flags)
        // An operation that points at its payment has a separate reference.
        let isOperation = notification.transaction == "PAY-0"
        #expect(notification.reference == (isOperation ? nil : "ORD-1"))
        #expect(notification.alias == (isOperation ? "ORD-1" : nil))
        #expect(notification.id == "PAYMENT::PAY-1:\(code):2015-12-07 16%3A46%3A07+0000")
    }

    @Test func `actions name their payment`() throws {
        for type in ["CP", "RF", "RV", "CB"] {
            #expect(try read(Self.payment(type, "000.000.000")).transaction == "PAY-0")
        }
        for type in ["DB", "PA"] {
            #expect(try read(Self.payment(type, "000.000.000")).transaction == "PAY-1")
        }
    }

    @Test func `test modes count where the endpoint is a test`() throws {
        let notification = try read(Self.payment("DB", "000.100.110"), .test)
        #expect(notification.effect == .attempt(.paid, Self.money))
        #expect(notification.flags == [.testMode])
    }

    @Test(arguments: [
        ("REGISTRATION", #","action":"CREATED""#, "registration", "CREATED", [] as [Flag]),
        ("SCHEDULE", "", "schedule", "000.000.000", []), ("RISK", "", "risk", "000.000.000", []),
        ("test", "", "test", "000.000.000", []),
        ("PAYMENTS", "", "payments", "000.000.000", [.unknownKind]),
    ])
    func `other types have no effect`(
        _ type: String, _ action: String, _ kind: String, _ status: String, _ flags: [Flag]
    ) throws {
        let body = Self.payment("DB", "000.000.000")
            .replacing("\"PAYMENT\"", with: "\"\(type)\"\(action)")
        let notification = try read(body)
        #expect(notification.effect == .none && notification.flags == flags)
        #expect(notification.kind == kind && notification.status == status)
    }

    /// Decimal text by the currency's own exponent.
    @Test(arguments: [
        ("\"42\"", "\"EUR\"", 4200 as Int64?), ("\"42.5\"", "\"EUR\"", 4250),
        ("\"42.50\"", "\"JPY\"", nil), ("\"42.00\"", "\"JPY\"", 42), ("\"1.234\"", "\"KWD\"", 1234),
        ("\"1.234\"", "\"EUR\"", nil), ("\"-1.00\"", "\"EUR\"", nil), ("42.00", "\"EUR\"", nil),
        ("\"\"", "\"EUR\"", nil), ("\"1,00\"", "\"EUR\"", nil), ("\"1e2\"", "\"EUR\"", nil),
        ("\"99999999999999999999.00\"", "\"EUR\"", nil), ("null", "\"EUR\"", nil),
        ("\"1.00\"", "\"eur\"", nil), ("\"1.00\"", "\"EURO\"", nil), ("\"1.00\"", "null", nil),
    ])
    func amounts(_ amount: String, _ currency: String, _ minor: Int64?) throws {
        let notification = try read(
            Self.payment("DB", "000.000.000", amount: amount, currency: currency))
        guard let minor else {
            #expect(notification.effect == .doubt && notification.flags == [.notUnderstood])
            return
        }
        guard case .attempt(.paid, let money) = notification.effect else {
            Issue.record("\(notification.effect)")
            return
        }
        #expect(money?.minor == minor)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"type":"PAYMENT"}"#, #"{"type":"PAYMENT","payload":[]}"#,
        #"{"type":"PAYMENT","payload":{}}"#, #"{"type":7,"payload":{}}"#, "\u{0}",
        #"{"type":"PAYMENT","payload":{"id":"1","paymentType":"DB","amount":"1.00","#
            + #""currency":"EUR"}}"#,
        #"{"type":"PAYMENT","payload":{"id":1,"paymentType":"DB","#
            + #""result":{"code":"000.000.000"}}}"#,
        #"{"type":"PAYMENT","payload":{"id":"1","result":{"code":"000.000.000"}}}"#,
        #"{"type":"PAYMENT","payload":{"id":"1","paymentType":"DB","result":"000.000.000"}}"#,
        #"{"type":"PAYMENT","type":"PAYMENT","payload":{}}"#,
    ])
    func `what is not understood is kept without effect`(_ plaintext: String) throws {
        let notification = try read(plaintext.isEmpty ? " " : plaintext)
        // If it names a payment, the order needs review.
        let isNamed = notification.transaction != nil
        #expect(notification.effect == (isNamed ? .doubt : .none))
        #expect(notification.flags == [.notUnderstood])
    }

    @Test(arguments: ["DB", "PA", "CP", "RF", "RV"])
    func `what succeeded and does not say how much is in doubt`(_ type: String) throws {
        let notification = try read(Self.payment(type, "000.000.000", amount: "null"))
        #expect(notification.effect == .doubt && notification.flags == [.notUnderstood])
    }

    @Test func `a reversal that names nothing is in doubt`() throws {
        for (code, effect) in [
            ("000.000.000", Effect.doubt),
            ("800.100.153", .reversal(.operation, id: "PAY-1", .failed, Self.money)),
        ] {
            let notification = try read(Self.payment("RV", code, referenced: ""))
            #expect(notification.effect == effect && notification.reference == "ORD-1")
        }
    }

    @Test func `a retry that is encrypted anew is the same event`() throws {
        let text = Self.payment("DB", "000.000.000")
        let first = try Self.provider().receive(Self.delivery(text))
        let second = try Self.provider().receive(
            Self.delivery(text, iv: [UInt8](repeating: 9, count: 12)))
        #expect(first == second)
        #expect(try read(Self.payment("DB", "000.200.000")).id != first.id)
    }

    @Test(arguments: [
        ("x-initialization-vector", nil as String?, "missing_header"),
        ("x-authentication-tag", nil, "missing_header"),
        ("x-initialization-vector", "00", "iv_malformed"),
        ("x-initialization-vector", "zz0707070707070707070707", "iv_malformed"),
        ("x-authentication-tag", "00", "tag_malformed"),
        ("x-authentication-tag", "", "tag_malformed"),
        ("x-authentication-tag", String(repeating: "0", count: 32), "decryption_failed"),
        ("x-initialization-vector", String(repeating: "0", count: 24), "decryption_failed"),
    ])
    func `headers that are no proof`(_ name: String, _ value: String?, _ reason: String) throws {
        let delivery = try Self.delivery("{}").with(header: name, value)
        let refusal = try Self.provider().refusal(delivery)
        #expect(refusal?.reason == reason && refusal?.kind == .unauthenticated)
    }

    @Test func `a tag is never shortened`() throws {
        let delivery = try Self.delivery("{}")
        let tag = try #require(delivery.value("x-authentication-tag"))
        let short = delivery.with(header: "x-authentication-tag", String(tag.prefix(24)))
        #expect(try Self.provider().refusal(short)?.reason == "tag_malformed")
    }

    @Test(arguments: [
        ("", "body_not_hex"), ("xyz", "body_not_hex"), ("abc", "body_not_hex"),
        ("ab cd", "body_not_hex"),
        ("{}", "encrypted_body_missing"), (#"{"encryptedBody":1}"#, "encrypted_body_missing"),
        (#"{"encryptedBody":""}"#, "body_not_hex"), (#"{"encryptedBody":"x"}"#, "body_not_hex"),
        ("{", "json_"),
    ])
    func `bodies that cannot be read`(_ body: String, _ reason: String) throws {
        var delivery = try Self.delivery("{}")
        delivery.bodyText = body
        let refusal = try Self.provider().refusal(delivery)
        #expect(refusal?.kind == .malformed && refusal?.reason.hasPrefix(reason) == true)
    }

    @Test(arguments: [
        "", "00", String(repeating: "0", count: 63), String(repeating: "g", count: 64),
    ])
    func `keys of another form are refused`(_ key: String) {
        do throws(SettingsError) {
            _ = try OpenPaymentPlatform(
                settings: EndpointSettings(name: "o", ["secrets": .secrets([Array(key.utf8)])]))
            Issue.record("accepted")
        } catch {
            #expect(error.key == "secrets[0]" && (key.isEmpty || !error.message.contains(key)))
        }
    }
}
