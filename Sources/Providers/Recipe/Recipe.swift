import Payments

/// Everything that a provider is, as data: how it signs, where its facts stand, what its words
/// mean, what it is answered, and what its dashboard calls each setting.
public struct Recipe: Sendable, Equatable, Codable {
    /// How a request proves that it comes from the provider.
    package enum Proof: Sendable, Equatable, Codable {
        case signature(HMACScheme)
        case token(TokenScheme)
    }

    /// The form of the bodies.
    package enum BodyForm: String, Sendable, CaseIterable, Codable {
        case json, form
    }

    /// The name in the configuration.
    package var name: String
    /// The name for people.
    package var title: String
    /// Where the URL is entered at the provider.
    package var urlPlace: String
    /// The events to subscribe to; for the documentation.
    package var events: [String] = []
    /// In the order in which they are asked for.
    package var settings: [RecipeSetting]
    package var proof: Proof
    package var requirements: [Requirement] = []
    package var body = BodyForm.json
    package var fields: FieldMapping
    package var answers = RecipeAnswers()
    package var accepts = AcceptedStatuses.success
    /// Published pauses between attempts, in seconds.
    package var retries: [Int] = []
    package var marks = Marks()
    package var samples = RecipeSamples()
    /// Further texts for the documentation, in their order.
    package var notes: [RecipeNote] = []

    package init(
        name: String, title: String, urlPlace: String, settings: [RecipeSetting], proof: Proof,
        fields: FieldMapping
    ) {
        self.name = name
        self.title = title
        self.urlPlace = urlPlace
        self.settings = settings
        self.proof = proof
        self.fields = fields
    }

    /// The key of the setting that holds the secrets.
    package var secretsKey: String {
        switch proof {
        case .signature(let scheme): scheme.secrets
        case .token(let scheme): scheme.secrets
        }
    }
}

/// A header that must equal one of the endpoint's secrets. It proves nothing of the body.
package struct TokenScheme: Sendable, Equatable, Codable {
    /// In lower case.
    package var header: String
    /// The key of the setting that holds the tokens.
    package var secrets: String
    /// The text before the token, as in `Bearer `; empty where there is none.
    package var prefix: String

    package init(header: String, secrets: String = "secrets", prefix: String = "") {
        self.header = header.lowercased()
        self.secrets = secrets
        self.prefix = prefix
    }
}

/// A setting of an endpoint, as a recipe declares it.
package struct RecipeSetting: Sendable, Equatable, Codable {
    package enum Kind: Sendable, Equatable, Codable {
        /// The secrets of the proof; one setting of a recipe has this kind.
        case secrets
        /// A single secret text.
        case secret
        case text
        case url
        /// A positive number of seconds.
        case seconds
        case mode
        case capture
        case currency
        case word(oneOf: [String])
        case pointers
        case words
    }

    package var key: String
    package var kind: Kind
    /// One clause: what the value is.
    package var help: String
    /// Its name in the provider's dashboard, and where it is.
    package var dashboard: String?
    /// A text, a number (`seconds`) or a list of texts (`pointers`, `words`).
    package var standard: SettingValue?
    /// Nil is required unless there is a default.
    package var isRequired: Bool?
    /// The value in the folder of `ipnd init`.
    package var sandbox: SettingValue?
    package var account: AccountHint?

    package init(_ key: String, _ kind: Kind, help: String = "", standard: SettingValue? = nil) {
        self.key = key
        self.kind = kind
        self.help = help
        self.standard = standard
    }
}

/// A condition besides the proof; a request that does not meet it is refused as unauthenticated.
package struct Requirement: Sendable, Equatable, Codable {
    /// A pointer or a header.
    package var subject: Source
    /// A text or a setting. An endpoint that leaves the setting out does without the rule.
    package var equals: Source
    /// The reason code of the refusal.
    package var reason: String
    /// The rule applies to the requests that meet all of these.
    package var conditions: [Condition]

    package init(
        _ subject: Source, equals: Source, reason: String, conditions: [Condition] = []
    ) {
        self.subject = subject
        self.equals = equals
        self.reason = reason
        self.conditions = conditions
    }
}

/// The answers by outcome; nil is the usual one.
package struct RecipeAnswers: Sendable, Equatable, Codable {
    package var accepted: Answer?
    package var unauthenticated: Answer?
    package var malformed: Answer?
    package var unavailable: Answer?

    package init(
        accepted: Answer? = nil, unauthenticated: Answer? = nil, malformed: Answer? = nil,
        unavailable: Answer? = nil
    ) {
        self.accepted = accepted
        self.unauthenticated = unauthenticated
        self.malformed = malformed
        self.unavailable = unavailable
    }
}

/// The statuses that the provider takes as success.
package enum AcceptedStatuses: Sendable, Equatable, Codable {
    /// Any `2xx`.
    case success
    case only([Int])
}

/// A text for the documentation.
package struct RecipeNote: Sendable, Equatable, Codable {
    package var title: String
    package var text: String

    package init(title: String, text: String) {
        self.title = title
        self.text = text
    }
}
