import JSON

/// The reason why a delivery was rejected before anything in it was trusted.
///
/// ```swift
/// do throws(Refusal) {
///     _ = try provider.verify(request)
/// } catch {
///     counts[error.reason, default: 0] += 1
///     return provider.answer(.refused(error))
/// }
/// ```
public struct Refusal: Error, Sendable, Equatable {
    /// The kind of refusal, which decides the status of the answer.
    public enum Kind: Sendable, Equatable {
        /// The proof is missing, wrong, or for another account: 401.
        case unauthenticated
        /// The proof cannot be found, because the request is not readable: 400.
        case malformed
        /// The proof cannot be checked now, but later it may be: 503.
        case unavailable
    }

    /// The kind of refusal.
    public let kind: Kind

    /// The reason code in snake_case: the same in the log line, the metric and the rejection log.
    public let reason: String

    /// The reason for people. Never contains a secret, nor the expected value of a signature.
    public let detail: String

    package init(kind: Kind, reason: String, detail: String) {
        self.kind = kind
        self.reason = reason
        self.detail = detail
    }

    package static func unauthenticated(_ reason: String, _ detail: String) -> Refusal {
        Refusal(kind: .unauthenticated, reason: reason, detail: detail)
    }

    package static func unavailable(_ reason: String, _ detail: String) -> Refusal {
        Refusal(kind: .unavailable, reason: reason, detail: detail)
    }

    package static func malformed(_ reason: String, _ detail: String) -> Refusal {
        Refusal(kind: .malformed, reason: reason, detail: detail)
    }
}

extension Refusal: CustomStringConvertible {
    public var description: String { "\(reason): \(detail)" }
}

extension JSONDocument {
    /// Parses a body that must be read to find its signature.
    ///
    /// - Throws: ``Refusal``, malformed, with the parser's reason; `verification_too_costly`.
    static func parse(
        _ body: [UInt8], work: inout VerificationWork
    ) throws(Refusal) -> JSONDocument {
        try work.spend(body.count)
        let document = try parse(body)
        try work.spend(document.comparedBytes)
        return document
    }

    /// Parses a body without counting the work.
    ///
    /// - Throws: ``Refusal``, malformed, with the parser's reason.
    static func parse(_ body: [UInt8]) throws(Refusal) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument(parsing: body, limits: .unauthenticated)
        } catch {
            throw .malformed(error.reason, "at byte \(error.offset) of the body")
        }
    }
}

extension JSONLimits {
    /// Limits for bodies from unauthenticated senders. The documented bodies have fewer than a
    /// hundred values, and a lookup in a body visits member after member.
    static let unauthenticated = {
        var limits = JSONLimits()
        limits.depthMax = 32
        limits.nodesMax = 8192
        return limits
    }()
}
