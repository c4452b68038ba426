import JSON

extension Recipe.BodyForm {
    /// The body of a request whose sender is known.
    ///
    /// - Throws: ``Refusal``, malformed, with the parser's reason.
    func document(_ body: [UInt8]) throws(Refusal) -> JSONDocument {
        switch self {
        case .json:
            do throws(JSONError) { return try JSONDocument(parsing: body) } catch {
                throw .malformed(error.reason, "at byte \(error.offset) of the body")
            }
        case .form:
            var work = VerificationWork(receivedBytes: body.count)
            return try document(body, work: &work)
        }
    }

    /// The body of a request that has yet to prove where it comes from.
    ///
    /// - Throws: ``Refusal``, malformed, with the parser's reason; `verification_too_costly`.
    func document(
        _ body: [UInt8], work: inout VerificationWork
    ) throws(Refusal) -> JSONDocument {
        switch self {
        case .json: return try .parse(body, work: &work)
        case .form:
            // The fields as the members of an object, so that pointers find them.
            let form = try FormBody(parsing: body[...], work: &work)
            var json = JSONWriter(reserving: body.count + 64)
            json.object { json in
                for field in form.fields { json.member(field.name, field.value) }
            }
            return try .parse(json.bytes, work: &work)
        }
    }
}
