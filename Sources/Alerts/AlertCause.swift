/// A state that a person should know of.
package enum AlertKind: String, Sendable, CaseIterable {
    /// Notifications are refused because the disk is full, or the database does not answer.
    case storage
    /// The journal's disk is nearly full.
    case disk
    /// Expected orders past their expiry without a final status.
    case overdue
    /// Orders that a person has to decide about.
    case review
    /// Events that a destination has refused at every attempt.
    case deadLetters = "dead_letters"
    /// Every delivery to a destination fails.
    case destination
    /// A provider cannot be asked.
    case inquiry
    /// Requests at an endpoint are refused for one reason.
    case refusals
    /// Notifications arrive at a path without an endpoint.
    case unknownPath = "unknown_path"
    /// A provider sends full card numbers or security codes.
    case cardData = "card_data"
    /// A certificate of a listener expires.
    case certificate
    /// The configuration on disk was refused.
    case reload

    /// Whether it counts only after it has lasted for `AlertSettings.failingSeconds`: a system that
    /// fails for a minute is nothing that a person can help with.
    var mustLast: Bool {
        switch self {
        case .destination, .inquiry, .reload: true
        default: false
        }
    }
}

/// One cause of an alert: its kind, the endpoint, destination or reason that it is about, and its
/// extent.
package struct AlertCause: Sendable, Equatable {
    package var kind: AlertKind
    /// Empty where the kind says all.
    package var subject: String
    /// Number of orders, events or requests; nil where it is not counted.
    package var count: Int?
    /// One sentence without a full stop.
    package var summary: String
    /// The next step, for a person.
    package var advice: String
    /// The screen of the pages that shows it, such as `orders?flag=overdue`.
    package var screen: String

    package init(
        _ kind: AlertKind, _ subject: String = "", count: Int? = nil, summary: String,
        advice: String, screen: String
    ) {
        self.kind = kind
        self.subject = subject
        self.count = count
        self.summary = summary
        self.advice = advice
        self.screen = screen
    }

    /// Two causes with the same key are the same one.
    package var key: String { subject.isEmpty ? kind.rawValue : "\(kind.rawValue) \(subject)" }
}

/// The figures that are judged, as the metrics have them.
package struct AlertFigures: Sendable {
    package struct Refusal: Sendable, Hashable {
        package var endpoint: String
        package var reason: String

        package init(endpoint: String, reason: String) {
            self.endpoint = endpoint
            self.reason = reason
        }
    }

    package struct Certificate: Sendable {
        package var listener: String
        package var secondsLeft: Int

        package init(listener: String, secondsLeft: Int) {
            self.listener = listener
            self.secondsLeft = secondsLeft
        }
    }

    /// Why notifications are not accepted, as a reason code.
    package var hindrance: String?
    /// Bytes left on the journal's disk; nil with a database.
    package var availableBytes: Int?
    /// Nil where it cannot be read.
    package var overdue: Int?
    package var review: Int?
    /// By destination.
    package var deadLetters: [String: Int] = [:]
    /// Destinations with an open breaker.
    package var failingDestinations: [String] = []
    /// Endpoints whose provider cannot be asked.
    package var failingInquiries: [String] = []
    /// Refused requests since the start.
    package var refusals: [Refusal: Int] = [:]
    /// All events and refused requests since the start, by endpoint.
    package var requests: [String: Int] = [:]
    /// Notifications at paths without an endpoint since the start, by the nearest endpoint.
    package var unknownPaths: [String: Int] = [:]
    /// Card numbers and security codes that were removed from notifications, by endpoint.
    package var cardData: [String: Int] = [:]
    package var certificates: [Certificate] = []
    package var reloadWasRefused = false

    package init() {}
}

/// The thresholds of alerts.
package struct AlertSettings: Sendable, Equatable {
    /// Kinds that are not reported.
    package var except: Set<AlertKind> = []
    package var checkSeconds = 30
    /// Time for which a system must fail before it is reported.
    package var failingSeconds = 600
    /// Least time between two messages about one cause whose count grows.
    package var growsSeconds = 3600
    /// Time after which a cause that lasts is reported again.
    package var repeatHours = 24
    /// Least number of refused requests in ten minutes.
    package var refusalsMin = 5
    /// Least share of an endpoint's requests that is refused.
    package var refusalsPercent = 20
    /// Least free space on the journal's disk.
    package var freeMiBMin = 1024
    package var certificateDays = 14
    /// The address of the pages, for links; ends with `/`.
    package var pages: String?

    package init() {}
}
