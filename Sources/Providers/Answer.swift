/// The part of a response that a provider's page prescribes. `Retry-After` and the connection's own
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
