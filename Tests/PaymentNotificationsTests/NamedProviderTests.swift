import PaymentNotifications
import Testing

/// Providers by their name in the configuration.
@Suite struct NamedProviderTests {
    private static let hex = String(repeating: "0123456789abcdef", count: 4)

    /// The settings that each provider requires, as literals.
    private static func settings(key: String) -> [String: [String: SettingValue]] {
        let fields = FieldMapping(
            identity: ["/id"], reference: "/order", transaction: "/payment", status: "/status",
            amount: "/amount", currency: "/currency", statuses: ["done": .paid])
        return [
            "antom": ["clientID": "C-1", "keys": [key]],
            "citcon-upi": ["secrets": ["s"]],
            "citcon-pay": ["secrets": ["s"]],
            "ecommpay": ["secrets": "s", "projectID": "115"],
            "opp": ["secrets": [hex], "mode": "test"],
            "paypal": ["webhookIDs": ["0AB12345CD678901E"]],
            "adyen": ["hmacKeys": [hex], "merchantAccount": "ShopECOM", "capture": "manual"],
            "wechatpay": [
                "platformKeys": .keys([.init(version: 1, serial: "PUB_KEY_ID_1", text: key)]),
                "apiV3Keys": ["0123456789abcdef0123456789abcdef"],
            ],
            "alipay": ["alipayPublicKeys": [key], "appID": "2021000000000001"],
            "midtrans": ["secrets": ["Mid-server-1"]],
            "mollie": ["webhookSecrets": ["s"]],
            "braintree": ["keys": ["public|private"], "currency": "EUR"],
            "standard-webhooks": [
                "secrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], "fields": .fields(fields),
            ],
            "hmac": [
                "secrets": ["s"], "hmac": .scheme(HMACScheme(header: "x-signature")),
                "fields": .fields(fields),
            ],
            "airwallex": ["secrets": ["s"]],
            "checkout": ["secrets": ["s"]],
            "gocardless": ["secrets": ["s"]],
            "paddle": ["secrets": ["s"]],
            "paystack": ["secrets": ["s"]],
            "razorpay": ["secrets": ["s"]],
            "square": ["signatureKeys": ["s"], "notificationURL": "https://pay.example/ipn"],
            "stripe": ["secrets": ["s"]],
            "xendit": ["tokens": ["s"]],
        ]
    }

    @Test(arguments: ProviderRegistry.names)
    func `every provider is made by its name, and refuses an empty request`(
        _ name: String
    ) throws {
        let settings = try #require(Self.settings(key: AntomSample().publicKey)[name])
        #expect(Set(settings.keys).isSubset(of: ProviderRegistry.settingKeys(of: name) ?? []))
        let provider = try ProviderRegistry.provider(named: name, settings: settings)
        let request = SignedRequest(
            path: "/ipn", headers: [], body: [], received: Timestamp(secondsSince1970: 0))
        func refusal(of request: SignedRequest, by provider: some Provider) -> Refusal? {
            do throws(Refusal) {
                _ = try provider.verify(request)
                return nil
            } catch {
                return error
            }
        }
        let refused = refusal(of: request, by: provider)
        let found = try #require(refused)
        #expect((400..<500).contains(provider.answer(.refused(found)).status))
        #expect((200..<300).contains(provider.answer(.accepted).status))
    }

    private func failure(_ name: String, _ settings: [String: SettingValue]) -> SettingsError? {
        do throws(SettingsError) {
            _ = try ProviderRegistry.provider(named: name, settings: settings)
            return nil
        } catch {
            return error
        }
    }

    @Test func `an unknown name lists the providers`() throws {
        let error = try #require(failure("acme", [:]))
        #expect(error.message == "there is no provider acme")
        #expect(error.remedy?.contains("antom") == true && error.remedy?.contains("xendit") == true)
    }

    @Test func `an unknown key lists the settings`() throws {
        let error = try #require(failure("antom", ["clientId": "C-1"]))
        #expect(error.key == "clientId" && error.message == "antom has no such setting")
        #expect(error.remedy == "its settings are clientID, keys, capture")
    }

    @Test(
        arguments: [
            ("capture", "later", "later is not known"),
            ("capture", 1, "the value has another form"),
            ("clientID", ["a", "b"], "the value has another form"),
            ("keys", "no key", "neither PEM nor Base64 of DER"),
        ] as [(String, SettingValue, String)])
    func `a value of another form is refused`(
        _ key: String, _ value: SettingValue, _ message: String
    ) throws {
        var settings: [String: SettingValue] = [
            "clientID": "C-1", "keys": [try AntomSample().publicKey],
        ]
        settings[key] = value
        let error = try #require(failure("antom", settings))
        #expect(error.key.hasPrefix(key))
        if key != "keys" { #expect(error.message == message) }
    }

    /// As from a variable of the environment.
    @Test func `a number may be given as a text`() throws {
        func settings(_ tolerance: SettingValue) -> [String: SettingValue] {
            ["secrets": ["whsec_c2VjcmV0"], "toleranceSeconds": tolerance]
        }
        #expect(failure("stripe", settings("600")) == nil)
        #expect(failure("stripe", settings("ten"))?.message == "the value has another form")
        #expect(failure("stripe", settings("-1"))?.message == "-1 is out of range")
    }

    @Test func `typed settings are checked like those of a configuration`() {
        #expect(throws: SettingsError.self) {
            try Ecommpay(settings: .init(secrets: ["a", "b"]))
        }
        #expect(throws: SettingsError.self) {
            try WeChatPay(
                settings: .init(platformKeys: [:], apiV3Keys: ["k"], toleranceSeconds: -1))
        }
    }
}
