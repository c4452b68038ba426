import Bytes
import Payments

/// Asks the provider about a payment on behalf of the merchant, and reads the answer.
///
/// Pure: bytes in, bytes out. The caller sends each request and appends the exchange until there is
/// a finding. [Inquiry.md](Inquiry.md) lists the checks that every answer must pass.
package protocol Inquirer: Sendable {
    /// Returns the next request, or the finding from the answers so far.
    ///
    /// - Parameter now: The date of the request.
    /// - Throws: ``InquiryError``.
    func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep

    /// Returns the facts of one answer, where a conversation has several that differ: a record
    /// keeps only that of its fact. Nil where one answer is all that ``next(_:now:)`` needs.
    func facts(in exchange: InquiryExchange) -> [InquiryFact]?
}

extension Inquirer {
    package func facts(in exchange: InquiryExchange) -> [InquiryFact]? { nil }
}

/// The next step of a conversation.
package enum InquiryStep: Sendable, Equatable {
    case ask(InquiryRequest)
    case found(InquiryFinding)
}

package enum InquiryError: Error, Sendable, Equatable {
    /// The system does not support questions by this kind of id.
    case unsupported(InquiryQuestion)
    /// The cryptographic library refused to sign.
    case signingFailed
}

/// A question to a provider about one payment.
public struct InquiryQuestion: Sendable, Equatable {
    /// The thing that is asked about.
    public enum Subject: Sendable, Equatable {
        /// A payment, with all captures, refunds and disputes that the answer lists.
        case payment
        /// One refund, for systems that only report refunds one by one.
        case refund
    }

    /// The kind of id that the value is.
    public enum Name: Sendable, Equatable {
        /// The merchant's reference: the only id known before the first notification.
        case reference
        /// The provider's id.
        case transaction
        /// The id of a checkout.
        case checkout
        /// The id of a request to the provider's interface.
        case request
    }

    /// The thing that is asked about.
    public var subject: Subject
    /// The kind of id that ``value`` is.
    public var name: Name
    /// The id.
    public var value: String

    /// The currency that the merchant registered, for systems that require it beside a reference.
    public var currency: Currency?

    /// For a question by checkout: the reference that the answer must name, since it does not name
    /// the checkout.
    public var reference: String?

    package init(
        _ subject: Subject = .payment, by name: Name, _ value: String, currency: Currency? = nil,
        reference: String? = nil
    ) {
        self.subject = subject
        self.name = name
        self.value = value
        self.currency = currency
        self.reference = reference
    }
}

/// A question and the exchanges about it so far.
package struct InquiryConversation: Sendable, Equatable {
    package let question: InquiryQuestion

    /// The access token of an earlier conversation, while it is valid.
    package var token: InquiryToken?

    package private(set) var exchanges: [InquiryExchange] = []

    package init(_ question: InquiryQuestion, token: InquiryToken? = nil) {
        self.question = question
        self.token = token
    }

    package mutating func append(_ exchange: InquiryExchange) { exchanges.append(exchange) }
}

/// A short-lived access token. It is secret: no description shows it.
package struct InquiryToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let text: String

    /// The time from which a new token is needed.
    package let expires: Timestamp

    init(_ text: String, expires: Timestamp) {
        self.text = text
        self.expires = expires
    }

    package var description: String { "InquiryToken(until \(expires))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// One request and its whole answer.
package struct InquiryExchange: Sendable, Equatable {
    package let request: InquiryRequest
    package let answer: InquiryAnswer

    package init(_ request: InquiryRequest, _ answer: InquiryAnswer) {
        self.request = request
        self.answer = answer
    }
}

/// A request to the provider. The configuration sets the host; an answer never does.
package struct InquiryRequest: Sendable, Equatable {
    package let method: String

    /// The origin-form of the request target.
    package let target: String
    package let headers: [Header]
    package let body: [UInt8]

    package init(method: String, target: String, headers: [Header], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The headers that may be recorded: without those that carry a credential.
    package var recordedHeaders: [Header] { headers.filter { !$0.isNamed("authorization") } }
}

/// The provider's answer.
package struct InquiryAnswer: Sendable, Equatable {
    package let status: Int
    package let headers: [Header]
    package let body: [UInt8]

    /// The time at which the answer was complete.
    package let received: Timestamp

    /// The value of `Retry-After`; a date is counted from `received`.
    package var retryAfterSeconds: Int?

    package init(status: Int, headers: [Header], body: [UInt8], received: Timestamp) {
        self.status = status
        self.headers = headers
        self.body = body
        self.received = received
    }
}

extension InquiryRequest: CustomStringConvertible, CustomReflectable {
    /// A description without headers and body, which may contain a credential.
    package var description: String { "InquiryRequest(\(method) \(target))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
