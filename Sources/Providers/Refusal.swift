import JSON

/// Why a delivery was turned away before anything in it was believed.
package struct Refusal: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The proof is missing, wrong, or for somebody else: 401.
        case unauthenticated
        /// It cannot be read far enough to look for the proof: 400.
        case malformed
        /// The proof cannot be checked now, but later it may be: 503.
        case unavailable
    }

    package let kind: Kind

    /// The reason code in snake_case: the same in the log line, the metric and the rejection log.
    package let reason: String

    /// For people. Never holds a secret, nor the value that a signature should have had.
    package let detail: String

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

extension JSONDocument {
    /// Parses a body that has to be read before its signature can be found.
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

    /// The same where nothing is counted.
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
    /// For bodies from unauthenticated senders. The documented ones have fewer than a hundred
    /// values, and what is looked for in a body is looked for member by member.
    static let unauthenticated = {
        var limits = JSONLimits()
        limits.depthMax = 32
        limits.nodesMax = 8192
        return limits
    }()
}
