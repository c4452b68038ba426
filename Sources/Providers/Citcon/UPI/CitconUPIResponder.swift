import Bytes
import Cryptography
import JSON
import Payments

/// Citcon UPI's side of an inquiry: issues access tokens for the private key, and answers requests
/// that carry one.
package struct CitconUPIResponder: Responder {
    private let privateKey: String

    /// A token is valid for a day (documented).
    private static let tokenSeconds = 86_400.0

    /// - Throws: ``SettingsError`` without a private key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        privateKey = try settings.headerText(CitconUPI.privateKey)
    }

    private static let tokens = "/v1/access-tokens"
    private static let transactions = "/v1/transactions/"

    package func serves(_ request: InquiryRequest) -> Bool {
        request.path == Self.tokens || request.path.hasPrefix(Self.transactions)
    }

    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        isLatest(event, of: life)
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        if request.path == Self.tokens { return token(request, moment) }
        guard isAuthorized(request, moment) else {
            return Self.failure(401, "4010", "unauthorized", moment)
        }
        let name = Array(request.path.dropFirst(Self.transactions.count).utf8)
        guard let value = PercentEncoding.decode(name[...]) else {
            return Self.failure(400, "4000", "bad request", moment)
        }
        let id = String(decoding: value, as: UTF8.self)
        let isByReference = request.parameter("type") == "reference"
        let life = find(isByReference ? .reference : .transaction, id)
        let payment = life?.payments.last { isByReference || $0.transaction == id }
        guard let life, let payment, payment.status != nil else {
            return Self.failure(404, "4040", "not found", moment)
        }
        return Self.success(moment) { Self.charge(payment, of: life, &$0) }
    }

    // MARK: Tokens

    /// Derives the token from the private key and its expiry, so that no token has to be stored.
    private func token(expires: Int64) -> String {
        let code = HMAC.code(
            .sha256, key: Array(privateKey.utf8), message: Array(String(expires).utf8))
        return "at-\(expires)-\(Hex.encode(Array(code.prefix(16))))"
    }

    private func token(_ request: InquiryRequest, _ moment: ResponderMoment) -> InquiryAnswer {
        guard request.method == "POST", request.isBearer(privateKey) else {
            return Self.failure(401, "4010", "unauthorized", moment)
        }
        let expires = moment.after(seconds: Self.tokenSeconds).microseconds / 1000
        return Self.success(moment) {
            $0.member("access_token", token(expires: expires))
            $0.member("token_type", "server")
            $0.member("expiry", expires)
        }
    }

    private func isAuthorized(_ request: InquiryRequest, _ moment: ResponderMoment) -> Bool {
        let sent = request.headers.filter { $0.isNamed("authorization") }.map(\.value)
        guard sent.count == 1 else { return false }
        let parts = String(decoding: sent[0], as: UTF8.self).split(separator: "-")
        guard parts.count == 3, let expires = Int64(parts[1]) else { return false }
        return expires > moment.now.microseconds / 1000
            && request.isBearer(token(expires: expires))
    }

    // MARK: Answers

    private static func success(
        _ moment: ResponderMoment, _ data: (inout JSONWriter) -> Void
    ) -> InquiryAnswer {
        envelope("success", 200, moment, data)
    }

    private static func failure(
        _ status: Int, _ code: String, _ message: String, _ moment: ResponderMoment
    ) -> InquiryAnswer {
        envelope("fail", status, moment) {
            $0.member("code", code)
            $0.member("message", message)
        }
    }

    private static func envelope(
        _ word: String, _ status: Int, _ moment: ResponderMoment,
        _ data: (inout JSONWriter) -> Void
    ) -> InquiryAnswer {
        var json = JSONWriter(reserving: 768)
        json.object { json in
            json.member("status", word)
            json.member("app", "citcon_upi")
            json.member("version", "v1.0.0")
            json.object("data", data)
        }
        return InquiryAnswer(status: status, json.bytes, at: moment)
    }

    private static func charge(
        _ payment: SamplePayment, of life: SampleLife, _ json: inout JSONWriter
    ) {
        let isTaken = payment.status == .paid || payment.captured != nil
        json.member("object", "charge")
        json.member("id", payment.transaction)
        json.member("reference", life.reference)
        json.member("amount", payment.money.minor)
        if isTaken {
            json.member("amount_captured", payment.captured ?? payment.money.minor)
        } else {
            json.null("amount_captured")
        }
        json.member("amount_refunded", payment.refunded)
        json.member("currency", payment.money.currency.code)
        json.member("time_created", payment.began.microseconds / 1000)
        json.member("status", word(payment))
        list("refunds", payment.operations("refund"), &json)
        list("chargebacks", payment.operations("dispute"), &json)
    }

    private static func word(_ payment: SamplePayment) -> String {
        if payment.captured != nil { return "captured" }
        return switch payment.status {
        case .authorized: "authorized"
        case .paid: "succeeded"
        case .failed: "failed"
        case .canceled: "canceled"
        case .expired: "expired"
        default: "pending"
        }
    }

    private static func list(
        _ name: String, _ events: [SampleEvent], _ json: inout JSONWriter
    ) {
        json.object(name) {
            $0.array("data", events) { json, event in
                json.member("id", event.actionID)
                json.member("object", event.kind == "refund" ? "refund" : "chargeback")
                json.member("amount", event.money.minor)
                json.member("currency", event.money.currency.code)
                json.member("status", word(event))
                json.member("time_created", event.occurred.microseconds / 1000)
            }
        }
    }

    /// The status word; for disputes the same as in notifications.
    private static func word(_ event: SampleEvent) -> String {
        switch event.type {
        case .disputed: "Notification of Claim"
        case .disputeClosed: "Case Closed"
        case .disputeWon: "Won"
        case .chargedBack: "Lost"
        case .refunded: "succeeded"
        case .refundFailed: "failed"
        default: "pending"
        }
    }
}
