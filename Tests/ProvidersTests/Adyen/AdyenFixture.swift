import Bytes
import Cryptography
import Payments

@testable import Providers

/// A standard webhook of one item, to be changed by a test and then signed.
struct AdyenFixture {
    static let key = String(repeating: "0123456789abcdef", count: 4)
    static let otherKey = String(repeating: "f", count: 64)

    var psp = "PSP0000000000001"
    var original = ""
    var account = "ShopECOM"
    var reference = "ORD-1"
    var value = "4200"
    var currency = "EUR"
    var event = "AUTHORISATION"
    var success = "true"
    var date = "2026-01-01T01:00:00+01:00"
    var reason = ""
    var key = Self.key

    init(_ event: String = "AUTHORISATION", _ success: String = "true", original: String = "") {
        self.event = event
        self.success = success
        self.original = original
    }

    var signature: String {
        let text = [psp, original, account, reference, value, currency, event, success]
            .joined(separator: ":")
        let code = HMAC.code(
            .sha256, key: Hex.decode(key) ?? [], message: Array(text.utf8))
        return Base64.encode(code)
    }

    /// The item; nothing in it needs an escape but the backslash.
    var item: String {
        let members = [
            ("pspReference", psp), ("originalReference", original),
            ("merchantAccountCode", account), ("merchantReference", reference),
            ("eventCode", event), ("success", success), ("eventDate", date), ("reason", reason),
        ].filter { !$0.1.isEmpty }.map {
            "\"\($0)\":\"\($1.replacing("\\", with: "\\\\"))\""
        }
        return "{\"NotificationRequestItem\":{\"additionalData\":{\"hmacSignature\":"
            + "\"\(signature)\"},\"amount\":{\"value\":\(value),\"currency\":\"\(currency)\"},"
            + members.joined(separator: ",") + "}}"
    }

    var body: String { Self.body([self]) }

    var delivery: SignedRequest { SignedRequest(body: body) }

    static func body(_ items: [AdyenFixture], live: String = "\"true\"") -> String {
        let list = items.map(\.item).joined(separator: ",")
        return "{\"live\":\(live),\"notificationItems\":[\(list)]}"
    }

    static func provider(
        _ capture: EndpointSettings.Capture = .manual, _ mode: EndpointSettings.Mode = .live,
        keys: [String] = [key]
    ) throws(SettingsError) -> Adyen {
        try Adyen(
            settings: EndpointSettings(
                name: "a",
                [
                    "hmacKeys": .secrets(keys.map { Array($0.utf8) }),
                    "merchantAccount": "ShopECOM", "capture": capture.settingValue,
                    "mode": mode.settingValue,
                ]))
    }

    func read(
        _ capture: EndpointSettings.Capture = .manual, _ mode: EndpointSettings.Mode = .live
    ) throws -> Notification {
        try Self.provider(capture, mode).receive(delivery)
    }
}
