// The verification of config/delivery.md.
import Crypto
import Foundation

func isGenuine(_ body: Data, _ header: (String) -> String?, secret: String) -> Bool {
    guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))),
        let id = header("webhook-id"), let time = header("webhook-timestamp"),
        let seconds = Double(time),
        let signatures = header("webhook-signature"),
        abs(Date().timeIntervalSince1970 - seconds) < 300
    else { return false }
    return signatures.split(separator: " ").filter { $0.hasPrefix("v1,") }.contains {
        HMAC<SHA256>.isValidAuthenticationCode(
            Data(base64Encoded: String($0.dropFirst(3))) ?? Data(),
            authenticating: Data("\(id).\(time).".utf8) + body, using: SymmetricKey(data: key))
    }
}
