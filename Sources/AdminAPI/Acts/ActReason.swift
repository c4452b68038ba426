import Store

/// The reason that a person gives for an act.
enum ActReason {
    /// The rule, as an error message states it.
    static let form =
        "a text of at most \(Act.reasonScalarsMax) characters without control characters"

    /// Whether the text is short, because records are kept for good, and one line, because tables
    /// show it.
    static func isValid(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return !scalars.isEmpty && scalars.count <= Act.reasonScalarsMax
            && scalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// Returns the text; throws a problem with `code` where it is not valid.
    static func checked(_ text: String, _ code: String) throws(Problem) -> String {
        guard isValid(text) else { throw Problem(400, code, "`reason` must be \(form)") }
        return text
    }

    /// The query's `reason`; empty where there is none.
    static func read(_ parameters: QueryParameters) throws(Problem) -> String {
        guard let text = parameters["reason"] else { return "" }
        guard isValid(text) else { throw parameters.invalid("reason", form) }
        return text
    }
}
