import Bytes
import Cryptography
import JSON
import Payments

/// Adyen's part: a standard webhook with one item.
package struct AdyenSender: Sender {
    private let key: HMACKey
    private let account: String
    private let capture: EndpointSettings.Capture

    /// - Throws: ``SettingsError`` for a key that is not 64 hex digits, or no merchant account.
    package init(settings: EndpointSettings) throws(SettingsError) {
        key = try Adyen.key(settings.senderSecret(), setting: "secret")
        guard let account = settings[Adyen.merchantAccount], !account.isEmpty else {
            throw Adyen.merchantAccount.error("the merchant account to send to is missing")
        }
        self.account = account
        capture = settings[Adyen.capture] ?? .automatic
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        guard let (code, isSuccess) = words(event.type) else { throw .unsupported(event.type) }
        guard event.money.minor >= 0, let value = AdyenItem.value(event.money) else {
            throw .unrepresentableAmount
        }
        let time = event.occurred.wholeSeconds.rfc3339
        var (psp, original) = (Self.reference(event.actionID), Self.reference(event.transaction))
        switch code {
        case "AUTHORISATION", "OFFER_CLOSED": (psp, original) = (original, "")
        case "REPORT_AVAILABLE": (psp, original) = ("settlement_detail_report_\(time).csv", "")
        default: break
        }
        var fields: [(name: String, text: String)] = [
            ("pspReference", psp), ("originalReference", original),
            ("merchantAccountCode", account),
            ("merchantReference", event.type == .ignored ? "" : event.reference),
            ("value", "\(value)"),
            ("currency", event.money.currency.code), ("eventCode", code),
            ("success", isSuccess ? "true" : "false"),
        ]
        let text = Array(fields.map(\.text).joined(separator: ":").utf8)
        let signature = Base64.encode(key.code(text))
        fields.removeAll { ["value", "currency"].contains($0.name) }
        fields += [("eventDate", time), ("reason", isSuccess ? "" : "Refused")]
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("live", event.isTest ? "false" : "true")
            json.array("notificationItems", [fields]) { json, fields in
                json.object("NotificationRequestItem") { item in
                    item.object("additionalData") { $0.member("hmacSignature", signature) }
                    item.object("amount") {
                        $0.member("currency", event.money.currency.code)
                        $0.member("value", value)
                    }
                    for (name, text) in fields where !text.isEmpty { item.member(name, text) }
                }
            }
        }
        return OutboundRequest(
            target: path, headers: [Header("content-type", "application/json; charset=utf-8")],
            body: json.bytes)
    }

    package var marksTests: Bool { true }

    package func absence(of type: EventType) -> String? {
        switch type {
        case .authorized: "with `capture: automatic` an authorisation is the payment"
        case .paid: "with `capture: manual` a capture is the payment"
        case .pending: "Adyen reports a payment when its outcome is known"
        default: nil
        }
    }

    /// "Any 2xx" (docs.adyen.com/development-resources/webhooks/troubleshoot).
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        (200..<300).contains(status)
            ? .accepted : .sendsAgain("status \(status), Adyen asks for 2xx")
    }

    /// Three times at once, then from a queue for 30 days in all (documented).
    package let publishedRetrySchedule: [Duration] =
        [9, 18, 27].map { .seconds($0) } + [2, 5, 10, 15, 30].map { .minutes($0) }
        + [1, 2, 4, 8].map { .hours($0) } + Array(repeating: .hours(8), count: 87)

    private func words(_ type: EventType) -> (code: String, isSuccess: Bool)? {
        switch type {
        case .authorized where capture == .manual, .paid where capture == .automatic:
            ("AUTHORISATION", true)
        case .failed: ("AUTHORISATION", false)
        case .canceled: ("CANCELLATION", true)
        case .expired: ("OFFER_CLOSED", true)
        case .captured: ("CAPTURE", true)
        case .captureFailed: ("CAPTURE", false)
        case .refundPending: ("POSTPONED_REFUND", true)
        case .refunded: ("REFUND", true)
        case .refundFailed: ("REFUND", false)
        case .disputed: ("NOTIFICATION_OF_CHARGEBACK", true)
        case .disputeWon: ("CHARGEBACK_REVERSED", true)
        case .chargedBack: ("CHARGEBACK", true)
        case .ignored: ("REPORT_AVAILABLE", true)
        default: nil
        }
    }

    /// The id in the form of a genuine `pspReference`; others are read as tests.
    static func reference(_ id: String) -> String {
        AdyenInterpretation.isReference(id.utf8)
            ? id : Hex.encode(Array(SHA256.hash(Array(id.utf8)).prefix(8))).uppercased()
    }
}
