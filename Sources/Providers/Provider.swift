import Payments

/// The rules of one payment system: verification, interpretation and answers.
///
/// The functions are pure (a clock is passed in for systems that sign a time), so a captured
/// request can be verified and read again at any time. ``receive(_:)`` calls them in their order;
/// one by one they are:
///
/// ```swift
/// let verified = try provider.verify(request)
/// let notification = provider.interpret(verified.evidence)
/// let answer = provider.answer(.accepted)
/// ```
public protocol Provider: Sendable {
    /// The signed content and nothing else, so that ``interpret(_:)`` cannot read unsigned members.
    associatedtype Evidence: Sendable

    /// Obtains what ``verify(_:)`` needs from elsewhere, such as a certificate. Returns within a
    /// bounded time, with or without it. Called once before the request is verified, by
    /// ``receive(_:)`` and by ipnd's receiver.
    func prepare(_ delivery: SignedRequest) async

    /// Proves that `delivery` came from the provider and was not modified.
    ///
    /// - Throws: ``Refusal`` with the kind that decides between 400 and 401, and a reason code for
    ///   log and metric.
    func verify(_ delivery: SignedRequest) throws(Refusal) -> Verified<Evidence>

    /// Refuses evidence that contradicts what the endpoint accepted before, where the signature
    /// alone would let it pass; else remembers it. Called once after the request was verified, by
    /// ``receive(_:)`` and by ipnd's receiver.
    func claim(_ evidence: Evidence) throws(Refusal)

    /// The question whose answer is the event, where the notification itself proves nothing but
    /// that something happened. The receiver asks it before it acknowledges, and records the facts
    /// of the answer in place of the notification. Nil, as by default, where the content is the
    /// event. A user of the library fetches the payment that it names by the provider's own API.
    func question(about evidence: Evidence) -> InquiryQuestion?

    /// Returns the event that the content reports. Never fails: an authentic notification that
    /// cannot be understood becomes one without effect and with `Flag.notUnderstood`, because a
    /// retry could not fix it.
    func interpret(_ evidence: Evidence) -> Notification

    /// Returns all events that the content reports, in its order; never empty. Only a system that
    /// sends several events in one request declares it.
    func notifications(in evidence: Evidence) -> [Notification]

    /// Whether every request reports one event, so that ``notifications(in:)`` is not called: that
    /// saves a list. The default is false.
    var sendsOneEvent: Bool { get }

    /// Whether ids are unique within the merchant's reference only, so that those of two references
    /// cannot be facts of one order. The default is false.
    var idsAreOfReference: Bool { get }

    /// Returns the answer that this provider reads as `verdict`, byte for byte as its documentation
    /// requires.
    func answer(_ verdict: Verdict) -> Answer
}

extension Provider {
    /// Does nothing: most systems need nothing from elsewhere.
    public func prepare(_ delivery: SignedRequest) async {}
    /// Does nothing: most signatures bind the whole body.
    public func claim(_ evidence: Evidence) throws(Refusal) {}
    /// Nil: the content is the event.
    public func question(about evidence: Evidence) -> InquiryQuestion? { nil }
    /// The one event of ``interpret(_:)``.
    public func notifications(in evidence: Evidence) -> [Notification] { [interpret(evidence)] }

    /// False.
    public var sendsOneEvent: Bool { false }
    /// False.
    public var idsAreOfReference: Bool { false }
}

extension Provider {
    /// Verifies a request and returns the events that it reports, in their order; never empty.
    ///
    /// It calls ``prepare(_:)``, ``verify(_:)``, ``claim(_:)`` and ``notifications(in:)``, which is
    /// all that a server does before it records the events and sends ``answer(_:)``:
    ///
    /// ```swift
    /// do {
    ///     for notification in try await provider.receive(request) { order.apply(notification) }
    ///     return provider.answer(.accepted)
    /// } catch {
    ///     return provider.answer(.refused(error))
    /// }
    /// ```
    ///
    /// - Throws: ``Refusal``.
    public func receive(_ request: SignedRequest) async throws(Refusal) -> [Notification] {
        await prepare(request)
        let verified = try verify(request)
        try claim(verified.evidence)
        return notifications(in: verified.evidence)
    }

    /// Why a delivery does not verify; nil if it does.
    package func refusal(of delivery: SignedRequest) -> Refusal? {
        do throws(Refusal) {
            _ = try verify(delivery)
            return nil
        } catch {
            return error
        }
    }
}

/// The outcome of a delivery, from which its answer follows.
public enum Verdict: Sendable, Equatable {
    /// Stored now or before: recorded, duplicate, conflict or ignored. All have the same answer,
    /// because it only decides whether the provider retries.
    case accepted
    /// Refused by ``Provider/verify(_:)``.
    case refused(Refusal)
    /// Not stored, but a retry may succeed: disk full, shutting down, overloaded.
    case unavailable
}

/// The signed content of a delivery, and the key that verified it.
public struct Verified<Evidence: Sendable>: Sendable {
    /// The input of ``Provider/interpret(_:)``.
    public let evidence: Evidence

    /// The key or secret that verified: its version if the provider numbers them, else its position
    /// in the endpoint's list, counted from 1. It is recorded, so that the progress of a rotation
    /// is visible.
    public let key: String

    package init(evidence: Evidence, key: String) {
        self.evidence = evidence
        self.key = key
    }
}

/// A delivery without a signature that was accepted because of its network.
package enum UnsignedDelivery {
    /// The ``Verified/key`` of its record.
    package static let key = "unsigned"
}

/// The part of a response that the provider prescribes. `Retry-After` and the connection's own
/// fields are added by the receiver.
public struct Answer: Sendable, Equatable, Codable {
    /// The HTTP status code.
    public let status: Int
    /// The value of `Content-Type`; nil for an answer without it.
    public let contentType: String?
    /// The bytes to send; may be empty.
    public let body: [UInt8]

    /// Creates an answer, by default without a body.
    public init(status: Int, contentType: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }
}

extension Answer {
    /// Returns the answer for systems that only read the status. Each failure has one short word:
    /// enough for a person with `curl`, without revealing to a forger which check failed.
    package static func plainText(_ verdict: Verdict, accepted: Answer) -> Answer {
        byStatus(verdict, accepted: accepted) { status in
            switch status {
            case 401: word("unauthenticated", status: status)
            case 400: word("malformed", status: status)
            default: word("unavailable", status: status)
            }
        }
    }

    /// Returns the answer for systems that prescribe the body of a failure.
    ///
    /// - Parameter failure: The answer with this status: `401`, `400` or `503`, without a body by
    ///   default.
    static func byStatus(
        _ verdict: Verdict, accepted: Answer,
        failure: (_ status: Int) -> Answer = { Answer(status: $0) }
    ) -> Answer {
        switch verdict {
        case .accepted: accepted
        case .refused(let refusal):
            switch refusal.kind {
            case .unauthenticated: failure(401)
            case .malformed: failure(400)
            case .unavailable: failure(503)
            }
        case .unavailable: failure(503)
        }
    }

    /// `200` with the body `ok`.
    package static let ok = word("ok", status: 200)

    /// `200` with an empty body.
    package static let empty = Answer(status: 200)

    private static func word(_ word: String, status: Int) -> Answer {
        Answer(status: status, contentType: "text/plain", body: Array(word.utf8))
    }
}
