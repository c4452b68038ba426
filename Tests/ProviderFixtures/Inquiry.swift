import Bytes
import Payments
import Providers

extension ProviderFixture {
    /// The answers of a provider that is asked about a payment.
    package struct Inquiry: Sendable {
        /// Returns an answer's body: the reference was paid with this amount in minor units of EUR,
        /// under the transaction `T-1`, with the provider's word for its status.
        package let paid: @Sendable (_ reference: String, _ status: String, _ amount: Int) -> String

        /// The provider's word for paid.
        package let paidWord: String

        /// A word in the same form that the provider does not use.
        package var unknownWord = "Success!"

        /// Adds the provider's signature to an answer; nil where answers are not signed.
        package var sign: (@Sendable (inout Answer) -> Void)?

        /// Whether a token is fetched before a question.
        package var usesToken = false

        /// Bodies that report a successful call and no payment.
        package var successfulCalls: [String] = []

        /// Bodies that report a failed call and no failed payment.
        package var failedCalls: [String] = []

        /// Answers, with their status, that report an unknown payment.
        package var unknown: [(body: String, status: Int)] = []

        /// The member with the total of refunds; nil where there is none.
        package var refundedMember: String?

        /// Puts a notification's payment id into the body of ``paid``, where that is not `T-1`.
        package var joined: @Sendable (_ body: String, _ transaction: String?) -> String = {
            body, _ in body
        }

        /// Names of lives that the provider's notifications cannot report.
        package var impossibleLives: Set<String> = []

        /// The authorization header of a vector's question, where its token came from before.
        package var keptToken: @Sendable (_ authorization: String) -> InquiryToken? = { _ in nil }

        /// Whether a vector's attempt names its transaction as ipnd's notifications do.
        package var namesTransaction: @Sendable (_ kind: String?, _ status: String?) -> Bool = {
            _, _ in true
        }
    }

    /// An answer before it is signed.
    package struct Answer: Sendable {
        package let request: InquiryRequest
        package let time: Timestamp
        package var headers: [Header]
        package var body: [UInt8]

        package init(
            request: InquiryRequest, time: Timestamp, headers: [Header], body: [UInt8]
        ) {
            self.request = request
            self.time = time
            self.headers = headers
            self.body = body
        }
    }
}
