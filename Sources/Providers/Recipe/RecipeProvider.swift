import JSON
import Payments

/// A system that a ``Recipe`` describes, or an endpoint's own `hmac` and `fields`.
public struct RecipeProvider: Provider, MeasuredProvider {
    public struct Evidence: Sendable, Equatable {
        let body: [UInt8]
        /// The body, where it had to be parsed to verify it.
        let document: JSONDocument?
        /// The signed id, where the scheme has one.
        let id: String?
        /// Of the headers that the mapping reads; nil for one that is absent or no word.
        let headers: [String?]

        public static func == (left: Evidence, right: Evidence) -> Bool {
            left.body == right.body && left.id == right.id && left.headers == right.headers
        }
    }

    private enum Proof: Sendable {
        case signature(SignatureProof)
        case token(TokenProof)
    }

    package let verificationLimits: VerificationLimits
    private let proof: Proof
    private let requirements: RequirementCheck
    private let body: Recipe.BodyForm
    private let interpretation: MappedInterpretation
    private let takesSignedID: Bool
    private let answers: RecipeAnswers
    private var question: (@Sendable ([UInt8]) -> InquiryQuestion?)?

    public var idsAreOfReference: Bool { interpretation.idsAreOfReference }

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    package init(_ recipe: Recipe, settings: EndpointSettings) throws(SettingsError) {
        let settings = try recipe.completed(settings)
        try self.init(
            recipe.proof, requirements: recipe.requirements, body: recipe.body,
            fields: recipe.fields, answers: recipe.answers, settings: settings)
        question = WrittenPart.all[recipe.name]?.question(settings)
    }

    /// - Throws: ``SettingsError`` for a missing or impossible setting.
    init(
        _ proof: Recipe.Proof, requirements: [Requirement] = [], body: Recipe.BodyForm = .json,
        fields: FieldMapping, answers: RecipeAnswers = RecipeAnswers(), settings: EndpointSettings
    ) throws(SettingsError) {
        try fields.check()
        switch proof {
        case .signature(let scheme):
            self.proof = .signature(
                try SignatureProof(
                    scheme, secrets: settings.requiredSecrets(scheme.secrets), settings: settings))
        case .token(let scheme):
            self.proof = .token(
                try TokenProof(scheme, secrets: settings.requiredSecrets(scheme.secrets)))
        }
        self.requirements = RequirementCheck(requirements, settings)
        self.body = body
        interpretation = MappedInterpretation(fields, body: body, settings: settings)
        takesSignedID = fields.identity.isEmpty
        self.answers = answers
        verificationLimits = settings.verificationLimits
    }

    public func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<Evidence> {
        try verifyWithinLimits(delivery)
    }

    package func verify(
        _ delivery: SignedRequest, work: inout VerificationWork
    ) throws(Refusal) -> Verified<Evidence> {
        var document: JSONDocument?
        let key: String
        var id: String?
        switch proof {
        case .signature(let proof):
            if proof.readsBody { document = try body.document(delivery.body, work: &work) }
            (key, id) = try proof.verify(delivery, body: document?.root)
        case .token(let proof): key = try proof.verify(delivery)
        }
        if requirements.readsBody, document == nil { document = try body.document(delivery.body) }
        try requirements.check(delivery, document?.root)
        let headers = try interpretation.headerValues(delivery)
        return Verified(
            evidence: Evidence(
                body: delivery.body, document: document, id: id, headers: headers), key: key)
    }

    public func question(about evidence: Evidence) -> InquiryQuestion? {
        question?(evidence.body)
    }

    public func interpret(_ evidence: Evidence) -> Notification { notifications(in: evidence)[0] }

    /// The event in a body that was not notified but answered to a question of ours.
    func notification(inListed body: [UInt8]) -> Notification {
        interpretation.notifications(body)[0]
    }

    public func notifications(in evidence: Evidence) -> [Notification] {
        interpretation.notifications(
            evidence.body, document: evidence.document, headerValues: evidence.headers,
            carriedIdentity: takesSignedID ? evidence.id : nil)
    }

    public func answer(_ verdict: Verdict) -> Answer { answers.answer(verdict) }
}

extension RecipeAnswers {
    func answer(_ verdict: Verdict) -> Answer {
        let own =
            switch verdict {
            case .accepted: accepted
            case .refused(let refusal):
                refusal.kind == .unauthenticated ? unauthenticated : malformed
            case .unavailable: unavailable
            }
        return own ?? .plainText(verdict, accepted: .empty)
    }
}
