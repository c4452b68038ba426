import Delivery
import Payments

/// The state of a destination, as `GET /destinations` lists it.
package struct DestinationAnswer: APIObject {
    package var name = ""
    /// Its URL without the query.
    package var url: String?
    /// Whether this instance delivers to it.
    package var served = false
    /// Host and process of another instance that does.
    package var servedBy: String?
    /// Why it is paused: `command`, or `gone` after an answer 410.
    package var paused: String?
    /// `closed`, `open` or `probing`.
    package var breaker = ""
    /// The end of a pause that the destination asked for by `Retry-After`.
    package var heldUntil: Timestamp?
    package var inFlight = 0
    package var concurrency = 0
    package var waiting = 0
    package var dead = 0
    /// Records not yet read for it, and events that wait.
    package var lag = 0
    package var position = 0
    package var oldestSeconds = 0
    /// Number of attempts by outcome, since the start.
    package var attempts: [String: Int] = [:]
    /// Whether an attempt failed since everything was delivered.
    package var failing = false
    package var lastFailure: LastFailureAnswer?
    package var lastHour = AttemptRateAnswer()
    /// Why the delivery state or the store cannot be used.
    package var trouble: String?

    package init() {}

    /// - Parameter now: The wall clock's time, in microseconds.
    init(_ status: DestinationStatus, now: Int64) {
        let figures = status.figures
        name = status.name
        (served, servedBy) = (status.isServed, status.servedBy)
        paused = figures?.pause?.rawValue
        breaker = (figures?.breaker ?? .closed).rawValue
        if let end = figures?.heldUntil, end > now { heldUntil = Timestamp(microseconds: end) }
        (inFlight, concurrency) = (figures?.inFlight ?? 0, figures?.limit ?? 0)
        (waiting, dead) = (figures?.waiting ?? 0, figures?.dead ?? 0)
        (lag, position) = (Int(clamping: status.lag), Int(clamping: figures?.position ?? 0))
        oldestSeconds = Int(status.oldestSeconds)
        attempts = status.counters.attempts
        (url, failing) = (status.url, status.failing)
        lastFailure = status.lastFailure.map(LastFailureAnswer.init)
        lastHour.attempts = status.attemptsOfHour
        lastHour.failed = status.failedOfHour
        trouble = status.trouble
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("name", &name)
        form.optional("url", &url)
        form.required("served", &served)
        form.nullable("servedBy", &servedBy)
        form.nullable("paused", &paused)
        form.required("breaker", &breaker)
        form.nullable("heldUntil", &heldUntil)
        form.required("inFlight", &inFlight)
        form.required("concurrency", &concurrency)
        form.required("waiting", &waiting)
        form.required("dead", &dead)
        form.required("lag", &lag)
        form.required("position", &position)
        form.required("oldestSeconds", &oldestSeconds)
        form.required("attempts", &attempts)
        form.required("failing", &failing)
        form.optional("lastFailure", &lastFailure)
        form.required("lastHour", &lastHour)
        form.optional("trouble", &trouble)
    }
}

/// The last attempt that failed.
package struct LastFailureAnswer: APIObject {
    package var at = Timestamp(microseconds: 0)
    package var outcome = DeliveryOutcomeAnswer()

    package init() {}

    init(_ failure: FailedAttempt) {
        (at, outcome) = (failure.at, DeliveryOutcomeAnswer(failure.outcome))
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("at", &at)
        outcome.members(&form)
    }
}

/// A number of attempts, and those of them that failed.
package struct AttemptRateAnswer: APIObject {
    package var attempts = 0
    package var failed = 0

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("attempts", &attempts)
        form.required("failed", &failed)
    }
}

/// All destinations, in the order of the configuration.
package struct DestinationListAnswer: APIObject {
    package var destinations: [DestinationAnswer] = []

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("destinations", &destinations)
    }
}

/// A page of undelivered events, as `GET /deliveries` answers.
package struct DeliveryListAnswer: APIObject {
    package var deliveries: [DeliveryAnswer] = []
    /// The last attempts of the order that the query names; nil where it names none.
    package var attempts: [DeliveryAttemptAnswer]?
    /// The `cursor` of the next page; nil on the last.
    package var next: String?

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("deliveries", &deliveries)
        form.optional("attempts", &attempts)
        form.nullable("next", &next)
    }
}

/// An event that one destination has not received.
package struct DeliveryAnswer: APIObject {
    package var destination = ""
    package var endpoint = ""
    package var reference = ""
    package var kind = ""
    /// The order's status after the event.
    package var status = ""
    package var received = Timestamp(microseconds: 0)
    /// `waiting` or `dead`.
    package var state = ""
    package var sequence: UInt64 = 0
    /// Attempts that failed and counted.
    package var attempts = 0
    /// The time of the next attempt; nil where none is planned.
    package var due: Timestamp?
    package var last: DeliveryAttemptAnswer?

    package init() {}

    init(_ delivery: PendingDelivery) {
        destination = delivery.destination
        (endpoint, reference) = (delivery.endpoint, delivery.reference)
        (kind, status) = (delivery.kind, delivery.status)
        received = delivery.received
        state = delivery.state.rawValue
        (sequence, attempts) = (delivery.sequence, delivery.attempts)
        due = delivery.due
        last = delivery.last.map(DeliveryAttemptAnswer.init)
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("destination", &destination)
        form.required("endpoint", &endpoint)
        form.required("reference", &reference)
        form.required("kind", &kind)
        form.required("status", &status)
        form.required("received", &received)
        form.required("state", &state)
        form.required("sequence", &sequence)
        form.required("attempts", &attempts)
        form.nullable("due", &due)
        form.nullable("last", &last)
    }
}

/// One attempt that failed, or that succeeded after others had failed.
package struct DeliveryAttemptAnswer: APIObject {
    package var destination = ""
    package var sequence: UInt64 = 0
    /// From 1.
    package var number = 0
    package var began = Timestamp(microseconds: 0)
    package var outcome = DeliveryOutcomeAnswer()

    package init() {}

    init(_ attempt: LoggedAttempt) {
        destination = attempt.destination
        (sequence, number, began) = (attempt.sequence, attempt.number, attempt.began)
        outcome = DeliveryOutcomeAnswer(attempt.outcome)
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("destination", &destination)
        form.required("sequence", &sequence)
        form.required("number", &number)
        form.required("began", &began)
        outcome.members(&form)
    }
}

/// The result of an attempt.
package struct DeliveryOutcomeAnswer: APIObject {
    /// The answer's status; nil where none came.
    package var status: Int?
    /// `delivered`, `status_503`, or why no answer came, such as `timeout`.
    package var reason = ""
    package var latencyMicroseconds = 0
    package var detail: String?
    /// The first bytes of the answer.
    package var answer = ""

    package init() {}

    init(_ outcome: AttemptOutcomeSummary) {
        (status, reason) = (outcome.status, outcome.reason)
        latencyMicroseconds = outcome.latencyMicroseconds
        detail = outcome.detail.isEmpty ? nil : outcome.detail
        answer = outcome.excerpt
    }

    package mutating func members(_ form: inout some APIForm) {
        form.nullable("status", &status)
        form.required("reason", &reason)
        form.required("latencyMicroseconds", &latencyMicroseconds)
        form.optional("detail", &detail)
        form.required("answer", &answer)
    }
}

/// The result of a test delivery.
package struct DeliveryTestAnswer: APIObject {
    package var delivered = false
    package var outcome = DeliveryOutcomeAnswer()

    package init() {}

    init(_ outcome: AttemptOutcome) {
        delivered = outcome.isSuccess
        self.outcome = DeliveryOutcomeAnswer(AttemptOutcomeSummary(outcome))
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("delivered", &delivered)
        outcome.members(&form)
    }
}

/// The result of a retry or resolution of deliveries.
package struct DeliveryChangeAnswer: APIObject {
    /// Events that the filter matches.
    package var matched = 0
    /// Events that were changed; 0 in a dry run.
    package var changed = 0

    package init() {}

    package mutating func members(_ form: inout some APIForm) {
        form.required("matched", &matched)
        form.required("changed", &changed)
    }
}
