import Bytes
import Cryptography
import JSON
import Payments

/// PayPal's part: transmissions signed with the key of a sandbox's certificate.
package struct PayPalSender: Sender {
    private let webhookID: String
    private let origin: String
    private let key: RSAPrivateKey

    /// - Throws: ``SettingsError`` without a webhook id or a usable private key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        guard let id = settings[PayPal.webhookIDs]?.first, let pem = settings[SettingRow.senderKey]
        else { throw PayPal.webhookIDs.error("a webhook id and the provider's key are needed") }
        do throws(KeyError) { key = try RSAPrivateKey(pem: pem) } catch {
            throw SettingRow.senderKey.error("\(error)")
        }
        webhookID = id
        let hosts = settings[PayPal.certificateHosts]
        origin = "https://\(hosts?.first ?? PayPal.hosts(settings[PayPal.mode] ?? .live)[0])"
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let body = try body(event)
        let digest = Hex.encode(SHA256.hash(body))
        let id = [8, 4, 4, 4, 12].map { String(digest.prefix($0)) }.joined(separator: "-")
        let time = event.occurred.wholeSeconds.rfc3339
        let text = "\(id)|\(time)|\(webhookID)|\(CRC32.checksum(body))"
        guard let signature = try? key.signSHA256(Array(text.utf8)) else { throw .signingFailed }
        return OutboundRequest(
            target: path,
            headers: [
                Header("content-type", "application/json"),
                Header("paypal-auth-algo", "SHA256withRSA"), Header("paypal-auth-version", "v2"),
                Header("paypal-cert-url", "\(origin)\(PayPal.certificatePath)CERT-SANDBOX"),
                Header("paypal-transmission-id", id),
                Header("paypal-transmission-sig", Base64.encode(signature)),
                Header("paypal-transmission-time", time),
            ], body: body)
    }

    package func absence(of type: EventType) -> String? {
        type == .expired ? "PayPal does not tell whether an authorization ended by age" : nil
    }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        (200..<300).contains(status)
            ? .accepted : .sendsAgain("status \(status), PayPal asks for 2xx")
    }

    /// Up to 25 in three days (documented); the pauses are not published.
    package let publishedRetrySchedule: [Duration] = []

    private func body(_ event: SampleEvent) throws(SenderError) -> [UInt8] {
        _ = try event.digits()
        guard let (type, status) = Self.words(event.type) else { throw .unsupported(event.type) }
        let hex = SampleEvent.identifier(
            type, status, event.transaction, event.actionID, event.occurred.rfc3339)
        var json = JSONWriter(reserving: 1024)
        json.object { json in
            json.member("id", "WH-\(hex.prefix(17).uppercased())")
            json.member("create_time", event.occurred.rfc3339)
            json.member("event_type", type)
            json.object("resource") { Self.write(event, status, origin, to: &$0) }
        }
        return json.bytes
    }

    /// Writes the members of the event's resource, as in notifications and in answers.
    static func write(
        _ event: SampleEvent, _ status: String, _ origin: String, to json: inout JSONWriter
    ) {
        let isDispute = event.kind == "dispute"
        let isOperation = event.kind == "capture" || event.kind == "refund"
        let id = isDispute || isOperation ? event.actionID : event.transaction
        json.member(isDispute ? "dispute_id" : "id", id)
        json.object(isDispute ? "dispute_amount" : "amount") {
            $0.member("currency_code", event.money.currency.code)
            $0.member("value", event.money.decimal)
        }
        if isDispute {
            json.array("disputed_transactions", [event]) {
                $0.member("seller_transaction_id", $1.transaction)
                $0.member("custom", $1.reference)
            }
            json.object("dispute_outcome") { $0.member("outcome_code", status) }
            return
        }
        json.member("status", status)
        json.member("custom_id", event.reference)
        guard isOperation else { return }
        let parent = event.kind == "capture" ? "authorizations" : "captures"
        json.array("links", ["\(origin)/v2/payments/\(parent)/\(event.transaction)"]) {
            $0.member("href", $1)
            $0.member("rel", "up")
        }
    }

    /// The event's name, and the resource's status or the dispute's outcome.
    static func words(_ type: EventType) -> (type: String, status: String)? {
        switch type {
        case .pending: ("PAYMENT.CAPTURE.PENDING", "PENDING")
        case .authorized: ("PAYMENT.AUTHORIZATION.CREATED", "CREATED")
        case .paid, .captured: ("PAYMENT.CAPTURE.COMPLETED", "COMPLETED")
        case .failed, .captureFailed: ("PAYMENT.CAPTURE.DECLINED", "DECLINED")
        case .canceled: ("PAYMENT.AUTHORIZATION.VOIDED", "VOIDED")
        case .refundPending: ("PAYMENT.CAPTURE.REFUNDED", "PENDING")
        case .refunded: ("PAYMENT.CAPTURE.REFUNDED", "COMPLETED")
        case .refundFailed: ("PAYMENT.CAPTURE.REFUNDED", "FAILED")
        case .disputed: ("CUSTOMER.DISPUTE.CREATED", "NONE")
        case .disputeClosed: ("CUSTOMER.DISPUTE.RESOLVED", "CANCELED_BY_BUYER")
        case .disputeWon: ("CUSTOMER.DISPUTE.RESOLVED", "RESOLVED_SELLER_FAVOUR")
        case .chargedBack: ("CUSTOMER.DISPUTE.RESOLVED", "RESOLVED_BUYER_FAVOUR")
        case .ignored: ("BILLING.SUBSCRIPTION.ACTIVATED", "ACTIVE")
        case .expired, .tryFailed, .reversed: nil
        }
    }
}
