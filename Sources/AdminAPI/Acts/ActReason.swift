import Store

/// Why somebody acts, in a person's words.
enum ActReason {
    /// What is said of one that is not valid.
    static let form =
        "a text of at most \(Act.reasonScalarsMax) characters without control characters"

    /// Bounded, because a record is kept for ever; one line, because tables show it.
    static func isValid(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return !scalars.isEmpty && scalars.count <= Act.reasonScalarsMax
            && scalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// The query's `reason`; empty where there is none.
    static func read(_ parameters: QueryParameters) throws(Problem) -> String {
        guard let text = parameters["reason"] else { return "" }
        guard isValid(text) else { throw parameters.invalid("reason", form) }
        return text
    }
}
