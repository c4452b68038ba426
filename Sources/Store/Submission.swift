import Payments
import Records

/// A verified notification to be recorded, with the whole content of its record.
package struct Submission: Sendable {
    /// The endpoint's name, within which ids and references are unique.
    package var endpoint: String
    /// The provider's name in the registry.
    package var provider: String
    /// The name of the key or secret of the endpoint that verified the request.
    package var key: String
    package var notification: Notification
    /// The received request; for an inquiry the sent one, without its credentials.
    package var request: RecordedRequest
    /// The event's place in the request, if that reported several events.
    package var part: RecordPart?
    /// The answer, if the provider was asked.
    package var inquiry: RecordedInquiry?
    /// The client's address as text; empty if there is none (a Unix-domain socket).
    package var peer: String
    package var received: Timestamp
    /// Its place in a trace, as the header `traceparent` writes it; nil while traces are off.
    package var trace: String?

    package init(
        endpoint: String, provider: String, key: String, notification: Notification,
        request: RecordedRequest, part: RecordPart? = nil, inquiry: RecordedInquiry? = nil,
        peer: String, received: Timestamp, trace: String? = nil
    ) {
        self.endpoint = endpoint
        self.provider = provider
        self.key = key
        self.notification = notification
        self.request = request
        self.part = part
        self.inquiry = inquiry
        self.peer = peer
        self.received = received
        self.trace = trace
    }

    /// Approximate memory in bytes, which counts toward the queue's limit.
    package var byteCount: Int { request.byteCount + (inquiry?.byteCount ?? 0) }
}

/// A submission in a store's queue: an object, so that a pointer is passed on instead of the
/// submission's thirty words with a reference count for each text.
package final class QueuedSubmission: Sendable {
    package let submission: Submission

    package init(_ submission: consuming Submission) { self.submission = submission }
}

extension Sequence<Submission> {
    /// Approximate memory of the events of one request, which share it, in bytes.
    package var sharedByteCount: Int {
        var (bytes, request) = (0, 0)
        for submission in self {
            bytes += MemoryLayout<Submission>.size
            request = submission.byteCount
        }
        return bytes + request
    }
}

extension RecordEncoder {
    /// Appends the record of a submission, and returns where its head ends in `bytes`.
    ///
    /// - Parameter holder: The record that holds the request; nil when this one does.
    @discardableResult
    package static func append(
        _ content: RecordContent, of submission: Submission, heldBy holder: UInt64? = nil,
        encodesBodyAsBase64: Bool = false, to bytes: inout [UInt8]
    ) -> Int {
        append(
            content, of: submission.notification,
            from: RecordOrigin(
                received: submission.received, endpoint: submission.endpoint,
                provider: submission.provider, key: submission.key, trace: submission.trace),
            request: submission.request, part: submission.part?.held(by: holder),
            inquiry: submission.inquiry, peer: submission.peer,
            encodesBodyAsBase64: encodesBodyAsBase64, to: &bytes)
    }
}

/// The merchant's expectation of an order, to be recorded.
package struct Registration: Sendable {
    /// The endpoint's name, and its provider's.
    package var endpoint: String
    package var provider: String
    package var reference: String
    package var expectation: Expectation
    /// The shop's own reference of the order of which the payment is a try.
    package var order: String?
    /// A JSON object in canonical form (`CanonicalJSON` in `AdminAPI`), stored for the merchant;
    /// empty if none was given.
    package var metadata: [UInt8]
    /// The client's address as text; empty if there is none.
    package var peer: String
    package var received: Timestamp

    package init(
        endpoint: String, provider: String, reference: String, expectation: Expectation,
        order: String? = nil, metadata: [UInt8], peer: String, received: Timestamp
    ) {
        self.endpoint = endpoint
        self.provider = provider
        self.reference = reference
        self.expectation = expectation
        self.order = order
        self.metadata = metadata
        self.peer = peer
        self.received = received
    }

    package var registered: RegisteredExpectation {
        RegisteredExpectation(expectation: expectation, order: order, metadata: metadata)
    }
}

extension RecordEncoder {
    /// Appends the record of a registration, and returns where its head ends in `bytes`.
    @discardableResult
    package static func append(
        _ content: RecordContent, of registration: Registration, to bytes: inout [UInt8]
    ) -> Int {
        append(
            content, of: registration.registered, reference: registration.reference,
            from: RecordOrigin(
                received: registration.received, endpoint: registration.endpoint,
                provider: registration.provider, key: nil),
            peer: registration.peer, to: &bytes)
    }
}
