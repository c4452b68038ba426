import Bytes
import JSON
import Payments

/// Asks Citcon UPI: `GET /v1/transactions/{id}` with an access token, which it requests with the
/// private key.
///
/// Nothing is signed in either direction. A token is valid for a day. If a token of an earlier
/// conversation is refused, one new token is requested and the question is asked once more.
package struct CitconUPIInquirer: Inquirer {
    private let privateKey: String

    /// A token is not used in its last seconds, because the request may take that long to arrive.
    static let tokenMarginSeconds: Int64 = 60

    /// - Throws: ``SettingsError`` without a private key that is valid in a header.
    package init(settings: EndpointSettings) throws(SettingsError) {
        privateKey = try settings.headerText(CitconUPI.privateKey)
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        var token = conversation.token.flatMap { $0.expires > now ? $0 : nil }
        let fetched = conversation.exchanges.firstIndex { $0.request.method == "POST" }
        do throws(NoAnswer) {
            if let fetched { token = try Self.token(conversation.exchanges[fetched].answer) }
        } catch {
            return .found(InquiryFinding(error))
        }
        guard let token else { return .ask(tokenRequest) }
        let exchanges = conversation.exchanges
        guard let last = exchanges.indices.last, last != fetched else {
            return .ask(try request(conversation.question, token))
        }
        // The token of an earlier conversation may have been revoked before it expired.
        if exchanges[last].answer.status == 401, fetched == nil { return .ask(tokenRequest) }
        var finding: InquiryFinding
        do throws(NoAnswer) {
            let facts = try CitconUPIAnswer(exchanges[last].answer, to: conversation.question).facts
            finding = InquiryFinding(
                facts.map { InquiryFact(notification: $0, exchange: last, key: "tls") },
                trust: .tls)
        } catch {
            finding = InquiryFinding(error)
        }
        if finding.verdict != .denied { finding.token = token }
        return .found(finding)
    }

    private var tokenRequest: InquiryRequest {
        InquiryRequest(
            method: "POST", target: "/v1/access-tokens", headers: Self.headers(privateKey),
            body: Array(#"{"token_type":"server"}"#.utf8))
    }

    private func request(
        _ question: InquiryQuestion, _ token: InquiryToken
    ) throws(InquiryError) -> InquiryRequest {
        let query: String
        switch (question.subject, question.name) {
        case (.payment, .transaction): query = ""
        case (.payment, .reference): query = "?type=reference"
        default: throw .unsupported(question)
        }
        return InquiryRequest(
            method: "GET",
            target: "/v1/transactions/\(PercentEncoding.encode(Array(question.value.utf8)))"
                + query,
            headers: Self.headers(token.text))
    }

    private static func headers(_ bearer: String) -> [Header] {
        [Header("content-type", "application/json"), Header("authorization", "Bearer \(bearer)")]
    }

    /// Reads the access token of an answer. Its `expiry` is documented in milliseconds and was seen
    /// in seconds; its size decides. A token without an expiry is used once.
    private static func token(_ answer: InquiryAnswer) throws(NoAnswer) -> InquiryToken {
        let root = try JSONDocument.parse(answer: answer.body)
        if answer.status == 401 || answer.status == 403 {
            throw NoAnswer(
                .denied, .tls, "token_refused", "no access token for this private key")
        }
        guard answer.status == 200, root["status"]?.word == "success",
            let text = root["data"]?["access_token"]?.string, !text.isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else {
            throw NoAnswer(
                .retry, .tls, "token_missing", "the answer (\(answer.status)) has no access token")
        }
        let digits = root["data"]?["expiry"]?.wordOrNumber
        let expires = digits.flatMap { Timestamp(epochDigits: $0) } ?? answer.received
        return InquiryToken(
            text,
            expires: Timestamp(
                microseconds: expires.microseconds - tokenMarginSeconds * 1_000_000))
    }
}
