import Bytes
import Cryptography
import JSON
import Payments

/// Antom's side of a notification: RSA-signed requests.
package struct AntomSender: Sender {
    private let clientID: String
    private let key: RSAPrivateKey
    private let keyVersion: Int

    /// - Throws: ``SettingsError`` without a client id or a usable private key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        guard let clientID = settings[Antom.clientID], !clientID.isEmpty else {
            throw Antom.clientID.error("the client id to send to is missing")
        }
        guard let pem = settings[SettingRow.senderKey] else {
            throw SettingRow.senderKey.error("the provider's private key is missing")
        }
        do throws(KeyError) {
            key = try RSAPrivateKey(pem: pem)
        } catch {
            throw SettingRow.senderKey.error("\(error)")
        }
        self.clientID = clientID
        keyVersion = settings.keys.first?.version ?? 1
    }

    /// Signs the bare path, as genuine signatures were seen to do.
    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let body = try AntomSample(event: event).body()
        let time = event.occurred.wholeSeconds.rfc3339
        let barePath = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        let content = Array("POST ".utf8) + barePath + Array("\n\(clientID).\(time).".utf8) + body
        guard let signature = try? key.signSHA256(content) else { throw .signingFailed }
        let value = PercentEncoding.encode(Array(Base64.encode(signature).utf8))
        return OutboundRequest(
            target: path,
            headers: [
                Header("content-type", "application/json; charset=UTF-8"),
                Header("client-id", clientID),
                Header("request-time", time),
                Header(
                    "signature", "algorithm=RSA256,keyVersion=\(keyVersion),signature=\(value)"),
            ],
            body: body)
    }

    /// Antom stops retrying only at status 200 with `resultStatus` `S`.
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        guard status == 200 else { return .sendsAgain("status \(status), Antom asks for 200") }
        guard let answer = try? JSONDocument(parsing: body) else {
            return .sendsAgain("the body is not JSON")
        }
        guard answer.root["result"]?["resultStatus"]?.string == "S" else {
            return .sendsAgain("result.resultStatus is not S")
        }
        return .accepted
    }

    /// The published schedule of up to 8 attempts: at once, then after 2 min, 10 min, 10 min, 1 h,
    /// 2 h, 6 h and 15 h (documented).
    package let publishedRetrySchedule: [Duration] = [
        .minutes(2), .minutes(10), .minutes(10), .hours(1), .hours(2), .hours(6), .hours(15),
    ]
}
