import Cryptography
import JSON

/// ``Requirement``s made ready for one endpoint.
struct RequirementCheck: Sendable {
    private enum Subject: Sendable {
        case header(String)
        case body(FactSource)
    }

    private struct Rule: Sendable {
        let subject: Subject
        /// The digest of the text that it must equal.
        let digest: [UInt8]
        let reason: String
        let conditions: [FactCondition]
    }

    private let rules: [Rule]

    /// Whether some rule looks at the body.
    let readsBody: Bool

    /// A rule whose setting the endpoint leaves out does not apply.
    init(_ requirements: [Requirement], _ settings: EndpointSettings) {
        var compiler = FactCompiler(settings: settings)
        var rules: [Rule] = []
        for requirement in requirements {
            guard case .text(let text) = compiler.source(requirement.equals) else { continue }
            let subject: Subject =
                if case .header(let name) = requirement.subject {
                    .header(name.lowercased())
                } else {
                    .body(compiler.source(requirement.subject))
                }
            let digest = SHA256.hash(Array(text.utf8))
            rules.append(
                Rule(
                    subject: subject, digest: digest, reason: requirement.reason,
                    conditions: compiler.conditions(requirement.conditions)))
        }
        self.rules = rules
        readsBody = rules.contains { rule in
            if case .body = rule.subject { return true }
            return !rule.conditions.isEmpty
        }
    }

    /// - Throws: ``Refusal`` with the first broken rule's reason; `missing_header`,
    ///   `duplicate_header`.
    func check(_ delivery: SignedRequest, _ body: JSONValue?) throws(Refusal) {
        for rule in rules {
            let reader = body.map { FactReader(root: $0, element: $0, headers: []) }
            guard rule.conditions.allSatisfy({ reader?.holds($0) ?? true }) else { continue }
            let isRight: Bool
            switch rule.subject {
            case .header(let name):
                let digest = SHA256.hash(parts: [try delivery.single(name)])
                isRight = constantTimeEqual(digest, rule.digest)
            case .body(let source):
                let word = reader?.read(source, .scalars).word
                let digest = word.map { SHA256.hash(Array($0.utf8)) }
                isRight = digest.map { constantTimeEqual($0, rule.digest) } ?? false
            }
            guard isRight else {
                throw .unauthenticated(rule.reason, "it is not for this endpoint")
            }
        }
    }
}
