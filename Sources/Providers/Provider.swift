import Payments

/// The rules of one payment system: how its notifications are verified, what they mean, and how
/// they are answered.
///
/// The three functions are the three middle steps of the corridor. They are pure (a clock, where a
/// system signs a time, is handed in), so that a captured request can be judged again at any time.
package protocol Provider: Sendable {
    /// The signed content and nothing else, so that ``interpret(_:)`` cannot read unsigned members.
    associatedtype Evidence: Sendable

    /// Obtains what ``verify(_:)`` needs from elsewhere, such as a certificate. Returns within a
    /// bounded time, with or without it. Only the receiver calls it, before it verifies.
    func prepare(_ delivery: SignedRequest) async

    /// Proves that `delivery` came from the provider and was not changed on the way.
    ///
    /// - Throws: ``Refusal`` with the kind that decides between 400 and 401, and a reason code for
    ///   log and metric.
    func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<Evidence>

    /// Refuses evidence that contradicts what the endpoint accepted before, where the signature
    /// alone would let it pass; else remembers it. Only the receiver calls it, after it verified.
    func claim(_ evidence: Evidence) throws(Refusal)

    /// The event that the content reports. Never fails: an authentic notification that cannot be
    /// understood becomes one without effect and with ``Flag/notUnderstood``, because a retry could
    /// not fix it.
    func interpret(_ evidence: Evidence) -> Notification

    /// All events that the content reports, in its order; never empty. Only a system that sends
    /// several events in one request declares it.
    func notifications(in evidence: Evidence) -> [Notification]

    /// The answer that this provider reads as `verdict`, byte for byte as its documentation asks.
    func answer(_ verdict: Verdict) -> Answer
}

extension Provider {
    package func prepare(_ delivery: SignedRequest) async {}
    package func claim(_ evidence: Evidence) throws(Refusal) {}
    package func notifications(in evidence: Evidence) -> [Notification] { [interpret(evidence)] }
}

/// The outcome that a delivery's sender is answered with.
package enum Verdict: Sendable, Equatable {
    /// Stored now or before: recorded, duplicate, conflict or ignored. One success for all of them,
    /// because the provider asks only whether it has to send again.
    case accepted
    case refused(Refusal)
    /// Not stored, but sending again may help: disk full, shutting down, overloaded.
    case unavailable
}

/// The signed content of a delivery, and the key that verified it.
package struct Verified<Evidence: Sendable>: Sendable {
    package let evidence: Evidence

    /// The key or secret that verified: its version where the provider numbers them, else its place
    /// in the endpoint's list, counted from 1. Written to the record, so that a rotation can be
    /// watched to its end.
    package let key: String

    package init(evidence: Evidence, key: String) {
        self.evidence = evidence
        self.key = key
    }
}

/// A delivery that has no signature, and was taken because of the network that it came from.
package enum UnsignedDelivery {
    /// Its record's ``Verified/key``.
    package static let key = "unsigned"
}

/// The part of a response that the provider prescribes. `Retry-After` and the connection's own
/// fields are added by the receiver.
package struct Answer: Sendable, Equatable {
    package let status: Int
    package let contentType: String?
    package let body: [UInt8]

    package init(status: Int, contentType: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }
}

extension Answer {
    /// Systems that look at the status alone get one short word with every failure: enough for a
    /// person with `curl`, and nothing that tells a forger which check failed.
    package static func plainText(_ verdict: Verdict, accepted: Answer) -> Answer {
        switch verdict {
        case .accepted: accepted
        case .refused(let refusal):
            switch refusal.kind {
            case .unauthenticated: word("unauthenticated", status: 401)
            case .malformed: word("malformed", status: 400)
            case .unavailable: word("unavailable", status: 503)
            }
        case .unavailable: word("unavailable", status: 503)
        }
    }

    /// `200` with the body `ok`.
    package static let ok = word("ok", status: 200)

    /// `200` with nothing in it.
    package static let empty = Answer(status: 200)

    private static func word(_ word: String, status: Int) -> Answer {
        Answer(status: status, contentType: "text/plain", body: Array(word.utf8))
    }
}
