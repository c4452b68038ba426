import Bytes
import Payments

/// The merchant's part, played: asks the provider about a payment and reads what it answers.
///
/// Pure: bytes in, bytes out. The caller sends each request and appends the exchange until there is
/// a finding. [Inquiry.md](Inquiry.md) tells what every answer has to pass.
package protocol Inquirer: Sendable {
    /// The next request, or what the answers so far mean.
    ///
    /// - Parameter now: The time that a request is dated with.
    /// - Throws: ``InquiryError``.
    func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep
}

/// What to do next in a conversation.
package enum InquiryStep: Sendable, Equatable {
    case ask(InquiryRequest)
    case found(InquiryFinding)
}

package enum InquiryError: Error, Sendable, Equatable {
    /// This system cannot be asked by such a name.
    case unsupported(InquiryQuestion)
    /// The cryptographic library refused to sign.
    case signingFailed
}

/// What is asked.
package struct InquiryQuestion: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        /// A payment, with all captures, refunds and disputes that the answer lists.
        case payment
        /// One refund (Antom).
        case refund
    }

    /// What the value is a name of.
    package enum Name: Sendable, Equatable {
        /// The merchant's reference: all that is known where nothing has come.
        case reference
        /// The provider's id.
        case transaction
        /// Open Payment Platform: a checkout's id.
        case checkout
        /// ecommpay: the id of a request to its interface.
        case request
    }

    package var subject: Subject
    package var name: Name
    package var value: String

    /// The currency that the merchant registered, for Citcon Pay, which asks for it beside a
    /// reference.
    package var currency: Currency?

    /// By checkout: the reference that the answer must name, because it names the checkout nowhere.
    package var reference: String?

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

/// A question and what was sent and answered about it so far.
package struct InquiryConversation: Sendable, Equatable {
    package let question: InquiryQuestion

    /// Citcon UPI: the access token of an earlier conversation, as long as it is good.
    package var token: InquiryToken?

    package private(set) var exchanges: [InquiryExchange] = []

    package init(_ question: InquiryQuestion, token: InquiryToken? = nil) {
        self.question = question
        self.token = token
    }

    package mutating func append(_ exchange: InquiryExchange) { exchanges.append(exchange) }
}

/// Something short-lived to ask with. A secret: no description shows it.
package struct InquiryToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let text: String

    /// From then on a new one is needed.
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

/// A request to the provider. The host is the configuration's: an answer never chooses it.
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

    /// The headers that may be written down: those that carry a credential are left out.
    package var recordedHeaders: [Header] { headers.filter { !$0.isNamed("authorization") } }
}

/// What came back.
package struct InquiryAnswer: Sendable, Equatable {
    package let status: Int
    package let headers: [Header]
    package let body: [UInt8]

    /// When it was there, complete.
    package let received: Timestamp

    /// `Retry-After`, a date counted from then.
    package var retryAfterSeconds: Int?

    package init(status: Int, headers: [Header], body: [UInt8], received: Timestamp) {
        self.status = status
        self.headers = headers
        self.body = body
        self.received = received
    }
}

extension InquiryRequest: CustomStringConvertible, CustomReflectable {
    /// Without headers and body, which may hold a credential.
    package var description: String { "InquiryRequest(\(method) \(target))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
