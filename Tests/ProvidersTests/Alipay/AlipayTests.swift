import Bytes
import Cryptography
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Cases that the vectors of Alipay leave out.
@Suite struct AlipayTests {
    private let settings = ProviderFixture.alipay.endpoint.settings
    private let provider: Alipay

    init() throws { provider = try Alipay(settings: settings) }

    private static let usual: [(String, String)] = [
        ("app_id", "2026010600000001"), ("notify_id", "N"), ("notify_type", "trade_status_sync"),
        ("out_trade_no", "R"), ("seller_id", "2088101106499364"), ("subject", "tea"),
        ("total_amount", "42.00"), ("trade_no", "T"), ("trade_status", "TRADE_SUCCESS"),
    ]

    /// A signed notification with these fields changed; nil removes one.
    private func delivery(
        _ changes: [String: String?] = [:], signing text: ((String) -> String)? = nil
    ) throws -> SignedRequest {
        var fields = Self.usual.filter { changes[$0.0] == nil }
        fields += changes.compactMap { name, value in value.map { (name, $0) } }
        fields.sort { utf8Precedes($0.0, $1.0) }
        let plain = fields.map { "\($0)=\($1)" }.joined(separator: "&")
        return try signed(fields, text?(plain) ?? plain)
    }

    private func signed(_ fields: [(String, String)], _ text: String) throws -> SignedRequest {
        let key = try RSAPrivateKey(pem: try #require(settings[SettingRow.senderKey]))
        let signature = Base64.encode(try key.signSHA256(Array(text.utf8)))
        let body = (fields + [("sign_type", "RSA2"), ("sign", signature)])
            .map { [$0, $1].map { PercentEncoding.encode(Array($0.utf8)) }.joined(separator: "=") }
            .joined(separator: "&")
        return SignedRequest(
            path: [], headers: [], body: Array(body.utf8), received: Timestamp(microseconds: 0))
    }

    private func read(_ changes: [String: String?]) throws -> [Notification] {
        provider.notifications(in: try provider.verify(delivery(changes)).evidence)
    }

    @Test func `a notification is signed with or without its type`() throws {
        #expect(try provider.refusal(delivery()) == nil)
        let withType = try delivery(signing: {
            $0.replacing("&subject=", with: "&sign_type=RSA2&subject=")
        })
        #expect(provider.refusal(withType) == nil)
        let other = try delivery(signing: {
            $0.replacing("&subject=", with: "&sign_type=RSA&subject=")
        })
        #expect(provider.refusal(other)?.reason == "signature_mismatch")
    }

    /// The text of these forms is that of another form, too.
    @Test func `a text with a second reading is refused`() throws {
        let genuine = "tea&total_amount=9999.00&trade_no=X&trade_status=TRADE_SUCCESS&v=1"
        #expect(
            try provider.refusal(delivery(["subject": genuine]))?.reason
                == "signed_value_ambiguous")
        // An attacker makes this of such a text: the signed sum becomes a part of `v`.
        var fields = Self.usual.filter {
            !["total_amount", "trade_no", "trade_status"].contains($0.0)
        }
        let rest = "1&total_amount=0.01&trade_no=T&trade_status=WAIT_BUYER_PAY"
        fields += [
            ("total_amount", "9999.00"), ("trade_no", "X"), ("trade_status", "TRADE_SUCCESS"),
            ("v", rest),
        ]
        let text = fields.map { "\($0)=\($1)" }.joined(separator: "&")
        #expect(try provider.refusal(signed(fields, text))?.reason == "signed_value_ambiguous")
        #expect(
            try provider.refusal(delivery(["out_trade_no": "R&x=1"]))?.reason
                == "signed_value_ambiguous")
        #expect(try provider.refusal(delivery(["a=b": "1"]))?.reason == "signed_key_ambiguous")
        #expect(try provider.refusal(delivery(["subject": "salt & vinegar = 1"])) == nil)
    }

    @Test func `another account is refused`() throws {
        for (name, value) in [
            ("app_id", "1"), ("app_id", nil), ("seller_id", "1"), ("seller_id", nil),
        ] {
            let refusal = try provider.refusal(delivery([name: value]))
            #expect(refusal?.reason == "client_id_mismatch", "\(name)")
        }
    }

    @Test func `every form of the key is accepted, and any key of the list`() throws {
        let key = try RSAPrivateKey(pem: try #require(settings[SettingRow.senderKey]))
        let certificate = try Certificate.selfSigned(key, name: "alipay")
        let stranger = try RSAPrivateKey.generate()
        for text in [key.publicKeyPEM, key.publicKeyBase64DER, certificate] {
            var other = settings
            other.keys = [stranger.publicKeyPEM, text].enumerated().map {
                VersionedKey(version: $0 + 1, text: $1)
            }
            #expect(try Alipay(settings: other).verify(delivery()).key == "2")
        }
    }

    @Test func `unusable settings are refused by name`() {
        func problem(_ change: (inout EndpointSettings) -> Void) -> String? {
            var changed = settings
            change(&changed)
            do throws(SettingsError) {
                _ = try Alipay(settings: changed)
                return nil
            } catch {
                return error.key
            }
        }
        #expect(problem { _ in } == nil)
        #expect(problem { $0["appID"] = nil } == "appID")
        #expect(problem { $0["alipayPublicKeys"] = nil } == "alipayPublicKeys")
        #expect(
            problem { $0.keys = [VersionedKey(version: 1, text: "x")] } == "alipayPublicKeys[0]")
        #expect(problem { $0["signTypes"] = .texts(["RSA2", "DSA"]) } == "signTypes[1]")
        #expect(problem { $0["signTypes"] = .texts([]) } == "signTypes")
        #expect(problem { $0["signTypes"] = .texts(["MD5"]) } == "md5Keys")
        #expect(
            problem {
                $0["product"] = "classic-global"
                $0["signTypes"] = .texts(["MD5"])
                $0["md5Keys"] = .secrets([Array("k".utf8)])
                $0["alipayPublicKeys"] = nil
                $0["appID"] = nil
            } == nil)
    }

    @Test func `a closed trade was refunded if it was paid`() throws {
        let closed = try read([
            "trade_status": "TRADE_CLOSED", "gmt_payment": "2026-03-10 11:22:33",
        ])
        #expect(
            closed.map(\.effect) == [
                .attempt(.paid, Money.of(4200, "CNY")), .refund(id: "T:42.00", .succeeded, nil),
            ])
        #expect(closed.last?.refundedAtLeast == Money.of(4200, "CNY"))
        #expect(closed.first?.occurred == Timestamp(iso8601: "2026-03-10T03:22:33Z"))
        let expired = try read(["trade_status": "TRADE_CLOSED"])
        #expect(expired.map(\.effect) == [.attempt(.expired, Money.of(4200, "CNY"))])
    }

    @Test func `a sum in another currency is read in it, and an unknown one by nobody`() throws {
        let dollars = try read(["trans_currency": "USD"])
        #expect(dollars.map(\.effect) == [.attempt(.paid, Money.of(4200, "USD"))])
        for changes: [String: String?] in [
            ["trans_currency": "XXQ"], ["total_amount": "42.005"], ["total_amount": "-1.00"],
            ["total_amount": nil], ["refund_fee": "1,00"], ["notify_action_type": "refundFPAction"],
        ] {
            let read = try read(changes)
            #expect(read.count == 1 && read[0].effect == .doubt, "\(changes)")
            #expect(read[0].flags == [.notUnderstood] && read[0].reference == "R")
        }
    }

    @Test func `what is about no trade changes nothing`() throws {
        let other = try read(["notify_type": "open_app_auth_notify"])
        #expect(other.map(\.effect) == [.none] && other[0].status == "open_app_auth_notify")
        // The address to which the customer returns has signed fields, too.
        let returned = try read(["notify_type": nil, "notify_id": nil, "trade_status": nil])
        #expect(returned.map(\.effect) == [.none] && returned[0].flags == [.notUnderstood])
        let new = try read(["trade_status": "TRADE_PARTED"])
        #expect(new[0].effect == .attempt(.pending, nil) && new[0].flags == [.unknownStatus])
        #expect(new[0].status == "TRADE_PARTED")
    }
}
