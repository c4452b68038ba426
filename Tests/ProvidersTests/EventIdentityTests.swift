import Testing

@testable import Providers

@Suite struct EventIdentityTests {
    @Test func `different parts never give the same text`() {
        let lists: [[String?]] = [
            ["a", "b"], ["a:b"], ["a", "b", nil], ["a", nil, "b"], ["a%3Ab"], ["a", "", "b", "c"],
            ["a", ":b"], ["a:", "b"], ["a%", "b"], ["a", "%b"],
        ]
        #expect(Set(lists.map { EventIdentity.text($0) }).count == lists.count - 0)
    }

    @Test func `parts are readable`() {
        #expect(EventIdentity.text("payment", "P 1", nil, "a:b%") == "payment:P 1::a%3Ab%25")
    }
}
