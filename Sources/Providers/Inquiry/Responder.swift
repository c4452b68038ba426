import Bytes
import JSON
import Payments

/// The provider's part, played: answers an ``Inquirer`` as the provider would. The counterpart of
/// ``Sender``; both tell the same ``SampleLife``.
///
/// Pure: a request in, an answer out. It checks the merchant's credentials, signs where the system
/// signs, and knows the words for what is not known.
package protocol Responder: Sendable {
    /// Whether a request is one of this system's interface, by its path.
    func serves(_ request: InquiryRequest) -> Bool

    /// The provider's answer.
    ///
    /// - Parameter find: The life of the order that has this name, as far as it has happened; nil
    ///   where there is none. Only ``InquiryQuestion/Name/reference`` and
    ///   ``InquiryQuestion/Name/transaction`` are asked for.
    func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer

    /// Whether an answer can make up for the lost notification of `event`. Some events are
    /// only ever notified, such as the disputes of some systems.
    ///
    /// - Parameter life: The whole life of the order.
    func reports(_ event: SampleEvent, of life: SampleLife) -> Bool

    /// Whether its answers carry the provider's signature.
    var signsAnswers: Bool { get }

    /// How often one payment may be asked about; nil where nothing is published.
    var limit: ResponderLimit? { get }
}

extension Responder {
    package var signsAnswers: Bool { false }
    package var limit: ResponderLimit? { nil }

    /// Whether `event` is about the payment that a question by reference is answered with: the
    /// latest one.
    func isLatest(_ event: SampleEvent, of life: SampleLife) -> Bool {
        event.transaction == life.payments.last?.transaction
    }
}

/// When a provider is asked.
package struct ResponderMoment: Sendable {
    package let now: Timestamp

    /// How many times as fast as time the provider's own periods pass, such as a token's day.
    package let speed: Double

    package init(now: Timestamp, speed: Double = 1) {
        self.now = now
        self.speed = speed
    }

    /// The moment at which `seconds` of the provider's clock have passed.
    func after(seconds: Double) -> Timestamp {
        Timestamp(microseconds: now.microseconds + Int64(seconds * 1_000_000 / speed))
    }
}

/// How often one payment may be asked about.
package struct ResponderLimit: Sendable {
    package let questions: Int
    package let seconds: Double

    /// What a request asks about; nil for what is not limited.
    package let subject: @Sendable (InquiryRequest) -> String?

    /// What the question too many is answered with.
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
    /// The target up to the query.
    var path: Substring { target.prefix { $0 != "?" } }

    /// The decoded value of a parameter of the query; nil where it is absent or not text.
    func parameter(_ name: String) -> String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return Self.field(name, in: Array(target[target.index(after: mark)...].utf8))
    }

    /// The decoded value of a field of a form (WHATWG URL, application/x-www-form-urlencoded).
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

    /// Whether `authorization` is this bearer token and nothing else.
    func isBearer(_ token: String) -> Bool {
        let values = headers.filter { $0.isNamed("authorization") }.map(\.value)
        return values.count == 1 && values[0].elementsEqual("Bearer \(token)".utf8)
    }
}
