import Bytes
import JSON
import Payments

/// The provider's side of an inquiry: answers an ``Inquirer`` as the provider would. The
/// counterpart of ``Sender``; both derive their messages from the same ``SampleLife``.
///
/// Pure: a request in, an answer out. It checks the merchant's credentials, signs if the system
/// signs, and answers questions about unknown payments in the provider's words.
package protocol Responder: Sendable {
    /// Whether the path of a request belongs to this system's interface.
    func serves(_ request: InquiryRequest) -> Bool

    /// Returns the provider's answer.
    ///
    /// - Parameter find: Returns the life so far of the order that has this name; nil if there is
    ///   none. Called only with ``InquiryQuestion/Name/reference`` and
    ///   ``InquiryQuestion/Name/transaction``.
    func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer

    /// Whether an answer to a question can replace a lost notification of `event`. Some events,
    /// such as the disputes of some systems, are only notified.
    ///
    /// - Parameter life: The whole life of the order.
    func reports(_ event: SampleEvent, of life: SampleLife) -> Bool

    /// Whether it has a list of all events, which replaces every notification.
    var listsEvents: Bool { get }

    /// Returns a page of the list of all events that were sent; nil for another request.
    ///
    /// - Parameter events: In any order.
    func list(
        _ request: InquiryRequest, at moment: ResponderMoment,
        events: () -> [SentEvent]
    ) -> InquiryAnswer?

    /// Whether its answers carry the provider's signature.
    var signsAnswers: Bool { get }

    /// The limit on questions about one payment; nil if none is published.
    var limit: ResponderLimit? { get }
}

extension Responder {
    package var listsEvents: Bool { false }

    package func list(
        _ request: InquiryRequest, at moment: ResponderMoment,
        events: () -> [SentEvent]
    ) -> InquiryAnswer? { nil }

    package var signsAnswers: Bool { false }
    package var limit: ResponderLimit? { nil }

    /// Whether `event` is about the payment that answers a question by reference: the latest one.
    func isLatest(_ event: SampleEvent, of life: SampleLife) -> Bool {
        event.transaction == life.payments.last?.transaction
    }
}

/// An event that happened, with the body of its notification.
package struct SentEvent: Sendable {
    package let event: SampleEvent
    package let body: [UInt8]

    package init(_ event: SampleEvent, body: [UInt8]) {
        self.event = event
        self.body = body
    }

    package var time: Timestamp { event.occurred }
}

/// The time of a question.
package struct ResponderMoment: Sendable {
    package let now: Timestamp

    /// Factor by which the provider's own periods, such as a token's day, are accelerated.
    package let speed: Double

    package init(now: Timestamp, speed: Double = 1) {
        self.now = now
        self.speed = speed
    }

    /// Returns the time after `seconds` of the provider's clock.
    func after(seconds: Double) -> Timestamp {
        Timestamp(microseconds: now.microseconds + Int64(seconds * 1_000_000 / speed))
    }
}

/// A limit on the number of questions about one payment.
package struct ResponderLimit: Sendable {
    package let questions: Int
    package let seconds: Double

    /// Returns the subject of a request; nil if it is not limited.
    package let subject: @Sendable (InquiryRequest) -> String?

    /// Returns the answer to a question above the limit.
    package let refusal: @Sendable (ResponderMoment) -> InquiryAnswer

    package init(
        questions: Int, seconds: Double,
        subject: @escaping @Sendable (InquiryRequest) -> String?,
        refusal: @escaping @Sendable (ResponderMoment) -> InquiryAnswer
    ) {
        self.questions = questions
        self.seconds = seconds
        self.subject = subject
        self.refusal = refusal
    }
}

extension InquiryAnswer {
    /// A JSON answer.
    init(
        status: Int = 200, _ body: [UInt8], headers: [Header] = [], at moment: ResponderMoment
    ) {
        self.init(
            status: status,
            headers: [Header("content-type", "application/json; charset=utf-8")] + headers,
            body: body, received: moment.now)
    }
}

extension InquiryRequest {
    /// The target without its query.
    var path: Substring { target.prefix { $0 != "?" } }

    /// Returns the decoded value of a parameter of the query; nil if it is absent or not text.
    func parameter(_ name: String) -> String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return Self.field(name, in: Array(target[target.index(after: mark)...].utf8))
    }

    /// Returns the decoded value of a field of a form (WHATWG URL,
    /// application/x-www-form-urlencoded).
    static func field(_ name: String, in form: [UInt8]) -> String? {
        for pair in form.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].elementsEqual(name.utf8) else { continue }
            let plain = parts[1].map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            guard let value = PercentEncoding.decode(plain[...]) else { return nil }
            return String(validating: value, as: UTF8.self)
        }
        return nil
    }

    /// Whether `authorization` appears once and is this bearer token.
    func isBearer(_ token: String) -> Bool { isAuthorized(by: "Bearer \(token)") }

    /// Whether `authorization` appears once and has this value.
    func isAuthorized(by credentials: String) -> Bool {
        let values = headers.filter { $0.isNamed("authorization") }.map(\.value)
        return values.count == 1 && values[0].elementsEqual(credentials.utf8)
    }
}
