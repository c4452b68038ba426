import Testing

@testable import ServerConfiguration

@Suite struct SuggestionTests {
    private let known = ["listeners", "journal", "endpoints", "clientID", "bodyBytesMax", "mode"]

    @Test(arguments: [
        ("listener", "listeners"), ("lisetners", "listeners"), ("clientId", "clientID"),
        ("client_id", "clientID"), ("bodyBytes", "bodyBytesMax"), ("JOURNAL", "journal"),
        // Two transposed letters are one edit, also in a short word.
        ("moed", "mode"), ("jounral", "journal"),
    ])
    func `a slip of the hand is recognised`(_ written: String, _ meant: String) {
        #expect(Suggestion.nearest(to: written, among: known) == meant)
    }

    /// At most one edit for every three letters.
    @Test(arguments: ["x", "", "zebra", "path", "modems", "moxy", "jouxyzl", "jourxyzal"])
    func `what resembles nothing gets no suggestion`(_ written: String) {
        #expect(Suggestion.nearest(to: written, among: known) == nil)
        #expect(Suggestion.remedy(for: written, among: known).contains("listeners, journal"))
    }

    @Test func `a very long word costs little`() {
        let word = String(repeating: "a", count: 1_000_000)
        #expect(Suggestion.nearest(to: word, among: known) == nil)
    }
}
