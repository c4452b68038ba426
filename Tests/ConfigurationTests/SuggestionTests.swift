import Testing

@testable import Configuration

@Suite struct SuggestionTests {
    private let known = ["listeners", "journal", "endpoints", "clientID", "bodyBytesMax", "mode"]

    @Test(arguments: [
        ("listener", "listeners"), ("lisetners", "listeners"), ("clientId", "clientID"),
        ("client_id", "clientID"), ("bodyBytes", "bodyBytesMax"), ("JOURNAL", "journal"),
        // Two letters that changed places are one slip, also in a short word.
        ("moed", "mode"), ("jounral", "journal"),
    ])
    func aSlipOfTheHandIsRecognised(_ written: String, _ meant: String) {
        #expect(Suggestion.nearest(to: written, among: known) == meant)
    }

    /// One edit for every three letters, not more.
    @Test(arguments: ["x", "", "zebra", "path", "modems", "moxy", "jouxyzl", "jourxyzal"])
    func whatResemblesNothingGetsNoSuggestion(_ written: String) {
        #expect(Suggestion.nearest(to: written, among: known) == nil)
        #expect(Suggestion.remedy(for: written, among: known).contains("listeners, journal"))
    }

    @Test func aVeryLongWordCostsLittle() {
        let word = String(repeating: "a", count: 1_000_000)
        #expect(Suggestion.nearest(to: word, among: known) == nil)
    }
}
