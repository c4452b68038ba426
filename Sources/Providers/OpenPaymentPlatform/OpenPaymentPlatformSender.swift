import Bytes
import Cryptography
import JSON
import Payments

/// The Open Payment Platform's side of a notification: an encrypted body.
package struct OpenPaymentPlatformSender: Sender {
    private let key: AES256GCM
    private let secret: [UInt8]
    private let mode: EndpointSettings.Mode

    /// - Throws: ``SettingsError`` for a key that is not 64 hex digits.
    package init(settings: EndpointSettings) throws(SettingsError) {
        secret = try settings.senderSecret()
        key = try OpenPaymentPlatform.key(secret, setting: "secret")
        mode = settings[OpenPaymentPlatform.mode] ?? .live
    }

    /// Sends hex in the body itself, without the wrapper.
    ///
    /// The initialisation vector is derived from key and plaintext, so a repetition has the same
    /// bytes. Two different plaintexts do not share a vector, as GCM requires.
    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let plaintext = try plaintext(event)
        let iv = Array(
            HMAC.code(.sha256, key: secret, message: plaintext).prefix(AES256GCM.ivBytes))
        guard let sealed = try? key.seal(plaintext: plaintext, iv: iv) else { throw .signingFailed }
        func hex(_ bytes: [UInt8]) -> String { Hex.encode(bytes).uppercased() }
        return OutboundRequest(
            target: path,
            headers: [
                Header("content-type", "text/plain"),
                Header("x-initialization-vector", hex(iv)),
                Header("x-authentication-tag", hex(sealed.tag)),
            ], body: Array(hex(sealed.ciphertext).utf8))
    }

    /// By the result code of a success; a failure moves no money in any mode.
    package var marksTests: Bool { true }

    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        (200..<300).contains(status)
            ? .accepted : .sendsAgain("status \(status), the platform asks for 2xx")
    }

    /// 1, 2, 4, 8, 15, 30 min, 1 h, then daily for up to 30 days (documented).
    package let publishedRetrySchedule: [Duration] =
        [1, 2, 4, 8, 15, 30, 60].map { .minutes($0) } + Array(repeating: .days(1), count: 30)

    private func plaintext(_ event: SampleEvent) throws(SenderError) -> [UInt8] {
        _ = try event.digits()
        guard event.type != .ignored else { return Array(Self.activation.utf8) }
        guard words(event) != nil else { throw .unsupported(event.type) }
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("type", "PAYMENT")
            json.object("payload") { write(event, to: &$0) }
        }
        return json.bytes
    }

    /// Writes the members of a transaction: the same in a notification and in an inquiry's answer.
    /// Writes nothing for an event that the platform cannot express.
    func write(_ event: SampleEvent, to json: inout JSONWriter) {
        guard let (type, code) = words(event) else { return }
        let isAttempt = type == "DB" || type == "PA"
        let date = String(
            event.occurred.wholeSeconds.rfc3339.dropLast().map { $0 == "T" ? " " : $0 })
        json.member("id", isAttempt ? event.transaction : event.actionID)
        if !isAttempt { json.member("referencedId", event.transaction) }
        json.member("paymentType", type)
        json.member("paymentBrand", "VISA")
        json.member("amount", event.money.decimal)
        json.member("currency", event.money.currency.code)
        json.member("merchantTransactionId", event.reference)
        json.object("result") {
            $0.member("code", code)
            $0.member("description", "sample")
        }
        json.member("timestamp", date + "+0000")
    }

    /// The message of the portal's test button.
    private static let activation =
        #"{"type":"test","action":"webhook activation","payload":{"result":{"code":"000.100.110","#
        + #""description":"Request successfully processed in "#
        + #"'Merchant in Integrator Test Mode'"}}}"#

    private func words(_ event: SampleEvent) -> (type: String, code: String)? {
        let success = mode == .test || event.isTest ? "000.100.110" : "000.000.000"
        let pending = "000.200.000"
        let rejected = "800.100.153"
        return switch event.type {
        case .pending: ("DB", pending)
        case .authorized: ("PA", success)
        case .paid: ("DB", success)
        case .failed: ("DB", rejected)
        case .captured: ("CP", success)
        case .captureFailed: ("CP", rejected)
        case .refundPending: ("RF", pending)
        case .refunded: ("RF", success)
        case .refundFailed: ("RF", rejected)
        case .chargedBack: ("CB", success)
        case .disputed: ("CB", pending)
        case .canceled: ("DB", "100.396.101")
        case .expired: ("DB", "100.396.103")
        case .disputeClosed, .disputeWon, .reversed, .tryFailed, .ignored: nil
        }
    }
}
