import Testing

@testable import Payments

@Suite struct JoinableTests {
    @Test(arguments: [
        ("", "", 0), ("", "a", -1), ("a", "", 1), ("a", "b", -1), ("b", "a", 1), ("a", "ab", -1),
        ("ab", "a", 1), ("ab", "ab", 0), ("Z", "a", -1), ("\u{e9}", "e\u{301}", 1),
    ])
    func `ids are compared by their bytes`(left: String, right: String, sign: Int) {
        #expect(utf8Order(left, right).signum() == sign)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (nil, "a", "a"), ("a", nil, "a"), ("a", "b", "a"), ("b", "a", "a"),
        ] as [(String?, String?, String?)])
    func `of two names the lesser is kept`(left: String?, right: String?, kept: String?) {
        #expect(lesser(left, right) == kept)
    }
}
