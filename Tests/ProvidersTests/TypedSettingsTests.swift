import Cryptography
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// The settings of a library's user are those of the configuration.
@Suite struct TypedSettingsTests {
    private static let key = (try? RSAPrivateKey.generate())?.publicKeyBase64DER ?? ""
    private static let hex = String(repeating: "0123456789abcdef", count: 4)
    private static let fields = FieldMapping(
        reference: "/order", status: "/status", amount: "/amount", currency: "/currency",
        statuses: ["done": .paid])

    private static let scheme = HMACScheme(
        header: "x-signature", content: .timestampAndBody(header: "x-time"))

    /// Typed settings with every member, and what a configuration has for them.
    private struct Pair: Sendable, CustomTestStringConvertible {
        let typed: any TypedSettings
        let configured: [String: SettingValue]

        var testDescription: String { "\(type(of: typed))" }
        var descriptor: ProviderDescriptor { type(of: typed).descriptor }
    }

    private static let pairs: [Pair] = [
        Pair(
            typed: Antom.Settings(
                clientID: "C-1", keys: [.init(version: 2, text: key)], capture: .manual),
            configured: [
                "clientID": "C-1", "keys": .keys([.init(version: 2, text: key)]),
                "capture": "manual",
            ]),
        Pair(typed: CitconUPI.Settings(secrets: ["a"]), configured: ["secrets": ["a"]]),
        Pair(typed: CitconPay.Settings(secrets: ["a"]), configured: ["secrets": ["a"]]),
        Pair(
            typed: Ecommpay.Settings(
                secrets: ["a", "b"], projectID: "1", unsignedChargebackNetworks: ["10.0.0.0/8"]),
            configured: [
                "secrets": ["a", "b"], "projectID": "1", "unsignedChargebacks": ["10.0.0.0/8"],
            ]),
        Pair(
            typed: OpenPaymentPlatform.Settings(keys: [hex], mode: .test),
            configured: ["secrets": [hex], "mode": "test"]),
        Pair(
            typed: PayPal.Settings(
                webhookIDs: ["0AB12345CD678901E"], mode: .test, reference: [.invoiceID],
                toleranceSeconds: 60),
            configured: [
                "webhookIDs": ["0AB12345CD678901E"], "mode": "sandbox",
                "reference": ["invoice_id"], "toleranceSeconds": 60,
            ]),
        Pair(
            typed: Adyen.Settings(
                hmacKeys: [hex], merchantAccount: "A", capture: .manual, mode: .test),
            configured: [
                "hmacKeys": [hex], "merchantAccount": "A", "capture": "manual", "mode": "test",
            ]),
        Pair(
            typed: WeChatPay.Settings(
                platformKeys: ["B": key, "A": key], apiV3Keys: [String(hex.prefix(32))],
                toleranceSeconds: 60),
            configured: [
                "platformKeys": .keys([
                    .init(version: 1, serial: "A", text: key),
                    .init(version: 2, serial: "B", text: key),
                ]), "apiV3Keys": [String(hex.prefix(32))], "toleranceSeconds": 60,
            ]),
        Pair(
            typed: Alipay.Settings(
                appID: "1", publicKeys: [key], sellerID: "2", product: .classicGlobal,
                partner: "3", signatureTypes: [.rsa2, .md5], md5Keys: ["m"]),
            configured: [
                "appID": "1", "alipayPublicKeys": [key], "sellerID": "2",
                "product": "classic-global", "partner": "3", "signTypes": ["RSA2", "MD5"],
                "md5Keys": ["m"],
            ]),
        Pair(
            typed: Midtrans.Settings(serverKeys: ["k"], merchantID: "G1"),
            configured: ["secrets": ["k"], "merchantID": "G1"]),
        Pair(
            typed: Mollie.Settings(
                webhookSecrets: ["s"], mode: .test, reference: "/description"),
            configured: ["webhookSecrets": ["s"], "mode": "test", "reference": "/description"]),
        Pair(
            typed: Braintree.Settings(
                keys: [.init(publicKey: "a", privateKey: "b")], currency: Currency("EUR"),
                mode: .test, toleranceSeconds: 60),
            configured: [
                "keys": ["a|b"], "currency": "EUR", "mode": "test", "toleranceSeconds": 60,
            ]),
        Pair(
            typed: StandardWebhooks.Settings(
                secrets: ["whsec_YQ=="], fields: fields, toleranceSeconds: 60),
            configured: [
                "secrets": ["whsec_YQ=="], "fields": .fields(fields), "toleranceSeconds": 60,
            ]),
        Pair(
            typed: HMACWebhook.Settings(
                secrets: ["s"], scheme: scheme, fields: fields,
                toleranceSeconds: 60),
            configured: [
                "secrets": ["s"], "hmac": .scheme(scheme),
                "fields": .fields(fields), "toleranceSeconds": 60,
            ]),
    ]

    /// Settings of the endpoint that only an inquiry reads, or that only a server can use.
    private static let untyped: [String: Set<String>] = [
        "mollie": ["kind", "apiKey"], "wechatpay": ["mchid"],
        "paypal": ["certificateHosts", "certificateName", "caFile"],
    ]

    @Test(arguments: pairs)
    private func `typed settings are what a configuration gives`(_ pair: Pair) throws {
        let descriptor = pair.descriptor
        let typed = try pair.typed.endpoint()
        let configured = try descriptor.endpoint(pair.configured)
        for row in descriptor.rows(.endpoint) {
            #expect(typed[row.key] == configured[row.key], "\(row.key)")
        }
        let missing = descriptor.keys().filter { typed[$0] == nil }
        #expect(missing == Self.untyped[descriptor.name] ?? [], "a setting without a member")
        if descriptor.name != "standard-webhooks" { _ = try descriptor.make(typed) }
    }

    @Test func `every provider written in Swift has typed settings`() {
        #expect(Self.pairs.map(\.descriptor.name) == ProviderRegistry.list.map(\.name))
    }

    @Test(arguments: ProviderFixture.all + ProviderFixture.unlike)
    func `a provider by its name verifies what its fixture signs`(
        _ fixture: ProviderFixture
    ) throws {
        var given: [String: SettingValue] = [:]
        for row in fixture.descriptor.rows(.endpoint) {
            given[row.key] = fixture.endpoint.settings[row.key]
            // A fixture may allow more than a configuration.
            if case .integer(let range) = row.kind, given[row.key] != nil {
                given[row.key] = .integer(range.upperBound)
            }
        }
        let provider = try ProviderRegistry.provider(named: fixture.name, settings: given)
        let outbound = try fixture.descriptor.makeSender(fixture.endpoint.settings)
            .sign(.sample(.paid), path: "/ipn")
        let reference = try fixture.descriptor.make(fixture.endpoint.settings)
            .refusal(outbound.delivery)
        #expect(provider.refusal(outbound.delivery) == reference)
    }
}
