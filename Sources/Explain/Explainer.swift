import Bytes
import Providers

/// Limits of one explanation. The request comes from an unauthenticated client, and its path and
/// body determine the number of variations.
package struct ExplanationBudget: Sendable, Equatable {
    /// Nil in the library, whose caller ends the search.
    package var seconds: Int?
    /// Bytes of paths, queries and bodies that are tried.
    package var bytes: Int

    package init(seconds: Int?, bytes: Int) {
        self.seconds = seconds
        self.bytes = bytes
    }

    /// The limits of a command.
    package static let command = ExplanationBudget(seconds: 60, bytes: 4 << 30)

    /// The limits in a server.
    package static let serving = ExplanationBudget(seconds: 2, bytes: 64 << 20)

    /// The note of an explanation that the budget ended.
    fileprivate var note: String {
        let limit = "not everything was tried: it would take more than "
        guard let seconds else { return "\(limit)\(bytes) bytes or the time given" }
        return "\(limit)\(seconds) s or \(bytes >> 20) MiB; `ipnd explain` tries more"
    }
}

/// Finds out why a request does not verify, by verifying variations of it.
public enum Explainer {
    /// A hundred years: a capture is explained after its time.
    private static let anyTimeSeconds = 3_153_600_000

    /// Tries every hypothesis and reports the first variation of each that verifies, the smallest
    /// change first. A variation that includes the changes of another is the same cause and left
    /// out.
    ///
    /// Stops when `budget` is exhausted, which the explanation states.
    ///
    /// - Parameters:
    ///   - keyHint: How to try another key.
    ///   - isTimeUp: Whether the budget's seconds are over.
    package static func explain(
        _ suspect: Suspect, hypotheses: [Hypothesis], budget: ExplanationBudget, keyHint: String,
        isTimeUp: () -> Bool
    ) -> Explanation {
        var bytesLeft = budget.bytes
        var isCutShort = false
        let refusal = refusal(of: suspect.delivery, suspect.system, suspect.settings)
        var found: [(change: Change, finding: Explanation.Finding)] = []
        var variations = 0
        if refusal != nil {
            search: for hypothesis in hypotheses {
                for variation in hypothesis.vary(suspect) {
                    bytesLeft -= cost(variation.delivery)
                    isCutShort = bytesLeft < 0 || isTimeUp()
                    guard !isCutShort else { break search }
                    variations += 1
                    guard verifies(variation, suspect.system) else { continue }
                    let change = Change(variation, of: suspect)
                    if found.contains(where: { change.contains($0.change) }) { break }
                    found.removeAll { $0.change.contains(change) }
                    let finding = Explanation.Finding(
                        code: hypothesis.code, sentence: hypothesis.sentence,
                        remedy: suspect.remedy(hypothesis), detail: variation.detail)
                    found.append((change, finding))
                    break
                }
                // The signature is valid except for its time: there is no other cause.
                if found.last?.finding.code == "time" { break }
            }
        }
        return Explanation(
            unknownPath: suspect.unknownPath, refusal: refusal,
            wrongMethod: suspect.request.method == "POST" ? nil : suspect.request.method,
            findings: found.indices.sorted {
                (found[$0].change.count, $0) < (found[$1].change.count, $1)
            }.map { found[$0].finding },
            notes: notes(suspect) + (isCutShort ? [budget.note] : []),
            likely: found.isEmpty
                ? refusal.map { refusal in
                    LikelyCauses.of(
                        refusal, suspect.system.credential, urlPlace: suspect.system.urlPlace,
                        keyHint: keyHint)
                } ?? [] : [],
            hypothesesTried: refusal == nil ? 0 : hypotheses.count, variationsTried: variations)
    }

    private static func cost(_ delivery: SignedRequest) -> Int {
        delivery.path.count + (delivery.query?.count ?? 0) + delivery.body.count
    }

    private static func verifies(_ variation: Variation, _ system: ProviderDescriptor) -> Bool {
        let system = variation.system ?? system
        var lenient = variation.settings
        if system.keys().contains("toleranceSeconds") {
            lenient["toleranceSeconds"] = .integer(anyTimeSeconds)
        }
        // A scheme without a signed time accepts no tolerance.
        guard let provider = (try? system.make(lenient)) ?? (try? system.make(variation.settings))
        else { return false }
        return provider.refusal(of: variation.delivery) == nil
    }

    private static func refusal(
        of delivery: SignedRequest, _ system: ProviderDescriptor, _ settings: EndpointSettings
    ) -> Refusal? {
        do throws(SettingsError) {
            return try system.make(settings).refusal(of: delivery)
        } catch {
            return .unauthenticated("settings_\(error.key)", error.message)
        }
    }

    /// Notes that need no verification.
    private static func notes(_ suspect: Suspect) -> [String] {
        var notes: [String] = []
        if suspect.isRedacted {
            notes.append(
                "parts of it were removed before it was stored (`redact`, card numbers): this copy "
                    + "does not verify even if the original did")
        }
        if !suspect.isRedacted, let length = suspect.header("content-length"),
            let count = Int(length), count != suspect.request.body.count
        {
            notes.append(
                "Content-Length says \(count) bytes, the body has \(suspect.request.body.count): "
                    + "it was cut short or rewritten")
        }
        if let coding = suspect.header("content-encoding"), coding != "identity" {
            notes.append("the body came as \(coding): signatures cover it as it was before")
        }
        if let announced = suspect.announcedKeyVersion,
            !suspect.settings.keys.contains(where: { $0.version == announced })
        {
            let known = suspect.settings.keys.map { String($0.version) }.joined(separator: ", ")
            notes.append(
                "it announces keyVersion \(announced), the endpoint has \(known): the provider may "
                    + "have changed its key")
        }
        if let type = suspect.header("content-type"), type.lowercased().contains("charset="),
            !type.lowercased().contains("utf-8")
        {
            notes.append("its content type is \(type.withoutSteering), not UTF-8")
        }
        return notes
    }
}

extension Suspect {
    /// The remedy. For an unknown path, setting `publicPath` alone does not suffice.
    fileprivate func remedy(_ hypothesis: Hypothesis) -> String {
        guard hypothesis.code == "path_received", let unknownPath else { return hypothesis.remedy }
        return unknownPath.remedyWhereSigned
    }

    /// The `keyVersion=` of a signature header.
    fileprivate var announcedKeyVersion: Int? {
        guard system.credential == .rsaKeyPair, let value = header("signature") else { return nil }
        let parts = value.split(separator: ",").map { $0.filter { $0 != " " } }
        return parts.first { $0.hasPrefix("keyVersion=") }.flatMap { Int($0.dropFirst(11)) }
    }
}
