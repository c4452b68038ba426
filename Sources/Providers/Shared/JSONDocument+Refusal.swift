import JSON

extension JSONDocument {
    /// Parses a body that has to be read before its signature can be found.
    ///
    /// - Throws: ``Refusal``, malformed, with the parser's reason.
    static func parse(_ body: [UInt8]) throws(Refusal) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument(parsing: body)
        } catch {
            throw .malformed(error.reason, "at byte \(error.offset) of the body")
        }
    }
}
