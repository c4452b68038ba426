import Testing

@testable import Configuration

struct SuggestionTests {
    private let known = ["listeners", "journal", "endpoints", "clientID", "bodyBytesMax"]

    @Test(arguments: [
        ("listener", "listeners"), ("lisetners", "listeners"), ("clientId", "clientID"),
        ("client_id", "clientID"), ("bodyBytes", "bodyBytesMax"), ("JOURNAL", "journal"),
    ])
    func `a slip of the hand is recognised`(_ written: String, _ meant: String) {
        #expect(Suggestion.nearest(to: written, among: known) == meant)
    }

    @Test(arguments: ["x", "", "zebra", "path"])
    func `what resembles nothing gets no suggestion`(_ written: String) {
        #expect(Suggestion.nearest(to: written, among: known) == nil)
        #expect(Suggestion.remedy(for: written, among: known).contains("listeners, journal"))
    }

    @Test func `a very long word costs little`() {
        let word = String(repeating: "a", count: 1_000_000)
        #expect(Suggestion.nearest(to: word, among: known) == nil)
    }
}
