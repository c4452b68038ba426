import Bytes
import JSON
import Payments

/// Access tokens of PayPal's interface, for an app's client id and secret (RFC 6749, 4.4).
struct PayPalAccess: Sendable {
    /// The value of `authorization` in the request for a token (RFC 7617).
    let credentials: String

    static let path = "/v1/oauth2/token"
    /// A token is not used in its last seconds, because the request may take that long to arrive.
    static let marginSeconds: Int64 = 60

    /// - Throws: ``SettingsError`` without a client id and its secret.
    init(settings: EndpointSettings) throws(SettingsError) {
        let id = try settings.headerText(PayPal.clientID)
        let secret = try settings.headerText(PayPal.clientSecret)
        credentials = "Basic \(Base64.encode(Array("\(id):\(secret)".utf8)))"
    }

    var request: InquiryRequest {
        InquiryRequest(
            method: "POST", target: Self.path,
            headers: [
                Header("content-type", "application/x-www-form-urlencoded"),
                Header("authorization", credentials),
            ], body: Array("grant_type=client_credentials".utf8))
    }

    /// The token of a conversation, and the exchange that fetched it; nil if one has to be fetched.
    ///
    /// - Parameter kept: The token of an earlier conversation.
    func token(
        _ kept: InquiryToken?, _ exchanges: [InquiryExchange], now: Timestamp
    ) throws(NoAnswer) -> (token: InquiryToken, fetched: Int?)? {
        guard let fetched = exchanges.firstIndex(where: { $0.request.method == "POST" }) else {
            guard let kept, kept.expires > now else { return nil }
            // It may have been revoked before it expired.
            return exchanges.last?.answer.status == 401 ? nil : (kept, nil)
        }
        return (try Self.token(exchanges[fetched].answer), fetched)
    }

    private static func token(_ answer: InquiryAnswer) throws(NoAnswer) -> InquiryToken {
        if answer.status == 400 || answer.status == 401 || answer.status == 403 {
            throw NoAnswer(
                .denied, .tls, "token_refused", "no access token for this client id and secret")
        }
        guard answer.status == 200 else { throw .status(.retry, .tls, answer.status) }
        let root = try JSONDocument.parse(answer: answer.body)
        guard let text = root["access_token"]?.string, !text.isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { throw NoAnswer(.retry, .tls, "token_missing", "the answer has no access token") }
        let seconds = max(0, min(root["expires_in"]?.int64 ?? 0, 86_400) - marginSeconds)
        return InquiryToken(
            text,
            expires: Timestamp(
                microseconds: answer.received.microseconds + seconds * 1_000_000))
    }
}

extension InquiryToken {
    /// The header of a request with it.
    var bearer: Header { Header("authorization", "Bearer \(text)") }
}
