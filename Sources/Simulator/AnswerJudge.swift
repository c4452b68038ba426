import Providers
import RawClient

/// Judges answers as a system would, without the keys of anybody.
package final class AnswerJudge {
    private var senders: [String: any Sender] = [:]

    package init() {}

    /// What the system of this name in the registry makes of an answer; any 2xx satisfies one that
    /// is not known.
    package func judge(
        _ result: Result<ReceivedResponse, ClientError>, by provider: String?
    ) -> Judgement {
        if let provider, let sender = sender(of: provider) { return sender.judge(result) }
        switch result {
        case .success(let response) where (200..<300).contains(response.status): return .accepted
        case .success(let response): return .sendsAgain("status \(response.status) is not 2xx")
        case .failure(let error): return .sendsAgain("\(error)")
        }
    }

    /// A sender with made-up keys: judging needs none.
    private func sender(of provider: String) -> (any Sender)? {
        if let known = senders[provider] { return known }
        guard let descriptor = ProviderRegistry.all[provider] else { return nil }
        let settings = SenderSettings(
            clientID: "none", hmac: HMACScheme(header: "x-signature"),
            fields: FieldMapping(reference: "/reference", status: "/status"))
        let made = try? descriptor.makeSender(settings.withFreshKeys(descriptor.credential))
        senders[provider] = made
        return made
    }
}
