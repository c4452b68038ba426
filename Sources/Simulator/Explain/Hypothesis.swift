/// One thing that goes wrong in practice, and how to find out whether it did.
package struct Hypothesis: Sendable {
    /// In snake_case.
    package let code: String
    /// The end of the sentence "It would verify, if …".
    package let sentence: String
    package let remedy: String
    let vary: @Sendable (Suspect) -> [Variation]

    init(
        _ code: String, _ sentence: String, remedy: String,
        _ vary: @escaping @Sendable (Suspect) -> [Variation]
    ) {
        self.code = code
        self.sentence = sentence
        self.remedy = remedy
        self.vary = vary
    }

    /// The table, in the order in which it is tried: what is frequent and cheap to mend first.
    package static let all: [Hypothesis] =
        time + keys + secrets + paths + headers + bodies + schemes
}
