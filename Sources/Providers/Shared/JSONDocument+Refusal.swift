import JSON

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
    /// For bodies whose sender nobody knows yet. The documented ones have fewer than a hundred
    /// values, and what is looked for in a body is looked for member by member.
    static let unauthenticated = {
        var limits = JSONLimits()
        limits.depthMax = 32
        limits.nodesMax = 8192
        return limits
    }()
}
