import Bytes
import Cryptography
import Payments

/// Alipay's part: forms that are signed with RSA2, or at a classic gateway that accepts nothing
/// else with MD5.
package struct AlipaySender: Sender {
    private let product: Alipay.Product
    private let appID: String?
    private let account: String
    private let key: RSAPrivateKey?
    private let md5Key: [UInt8]

    /// - Throws: ``SettingsError`` without a private key, where one is needed.
    package init(settings: EndpointSettings) throws(SettingsError) {
        product = settings[Alipay.product] ?? .openPlatform
        appID = settings[Alipay.appID]
        account = settings[Alipay.sellerID] ?? settings[Alipay.partner] ?? "2088000000000001"
        guard settings[Alipay.signTypes]?.allSatisfy({ $0 == "MD5" }) != true else {
            md5Key = Array(try settings.senderSecret().trimmingWhiteSpace)
            key = nil
            return
        }
        md5Key = []
        guard let pem = settings[SettingRow.senderKey] else {
            throw SettingRow.senderKey.error("the provider's private key is needed")
        }
        do throws(KeyError) { key = try RSAPrivateKey(pem: pem) } catch {
            throw SettingRow.senderKey.error("\(error)")
        }
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        var fields = try fields(event)
        fields.sort { utf8Precedes($0.0, $1.0) }
        let text = Array(fields.map { "\($0)=\($1)" }.joined(separator: "&").utf8)
        if let key {
            guard let signature = try? key.signSHA256(text) else { throw .signingFailed }
            fields += [("sign_type", "RSA2"), ("sign", Base64.encode(signature))]
        } else {
            fields += [("sign_type", "MD5"), ("sign", Hex.encode(MD5.hash(text + md5Key)))]
        }
        let body = fields.map { "\($0)=\(PercentEncoding.encode(Array($1.utf8)))" }
        return OutboundRequest(
            target: path,
            headers: [
                Header("content-type", "application/x-www-form-urlencoded; charset=utf-8")
            ], body: Array(body.joined(separator: "&").utf8))
    }

    package func absence(of type: EventType) -> String? {
        switch type {
        case .failed, .tryFailed, .canceled:
            "Alipay reports a trade when it waits, is paid, finished or closed, and no failed try"
        case .authorized, .captured, .captureFailed: "Alipay takes the money at once"
        case .refundPending, .refundFailed: "Alipay reports a refund when it has succeeded"
        case .refunded where product == .classicGlobal:
            "the refunds of the classic global gateway are not documented in enough detail"
        case .disputed, .disputeClosed, .disputeWon, .chargedBack, .reversed:
            "Alipay takes nothing back but by a refund"
        default: nil
        }
    }

    /// Exactly seven bytes (documented).
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        guard status == 200, body.elementsEqual("success".utf8) else {
            return .sendsAgain("status \(status), Alipay asks for 200 and exactly `success`")
        }
        return .accepted
    }

    /// Documented for the open platform: eight attempts in 25 hours.
    package let publishedRetrySchedule: [Duration] =
        [4, 10, 10].map { .minutes($0) } + [1, 2, 6, 15].map { .hours($0) }

    // MARK: Fields

    private func fields(_ event: SampleEvent) throws(SenderError) -> [(String, String)] {
        _ = try event.digits()
        let digest = SampleEvent.identifier(
            event.type.rawValue, event.transaction, event.actionID, event.occurred.rfc3339)
        let time = Alipay.text(event.occurred)
        var fields = [
            ("notify_id", digest), ("notify_time", time), ("charset", "utf-8"), ("version", "1.0"),
            ("seller_id", account),
        ]
        if let appID { fields += [("app_id", appID), ("auth_app_id", appID)] }
        guard event.type != .ignored else {
            return fields + [
                ("notify_type", "open_app_auth_notify"), ("trade_no", event.transaction),
            ]
        }
        fields += [
            ("notify_type", "trade_status_sync"), ("trade_no", event.transaction),
            ("out_trade_no", event.reference), ("gmt_create", time), ("subject", "ipnd & more"),
        ]
        let total = event.paid ?? event.money
        if product == .openPlatform {
            fields += [("total_amount", total.decimal), ("receipt_amount", total.decimal)]
            if total.currency != Alipay.yuan {
                fields.append(("trans_currency", total.currency.code))
            }
        } else {
            fields += [("total_fee", total.decimal), ("currency", total.currency.code)]
        }
        return fields + (try words(event, time, total))
    }

    private func words(
        _ event: SampleEvent, _ time: String, _ total: Money
    ) throws(SenderError) -> [(String, String)] {
        let success = product == .openPlatform ? "TRADE_SUCCESS" : "TRADE_FINISHED"
        switch event.type {
        case .pending: return [("trade_status", "WAIT_BUYER_PAY")]
        case .paid: return [("trade_status", success), ("gmt_payment", time)]
        case .expired: return [("trade_status", "TRADE_CLOSED"), ("gmt_close", time)]
        case .refunded where product == .openPlatform:
            let refunded = event.refundedSoFar ?? event.money
            return [
                ("trade_status", refunded < total ? "TRADE_SUCCESS" : "TRADE_CLOSED"),
                ("gmt_payment", time), ("refund_fee", refunded.decimal),
                ("send_back_fee", event.money.decimal), ("out_biz_no", event.actionID),
                ("gmt_refund", "\(time).112"),
            ]
        default: throw .unsupported(event.type)
        }
    }
}
