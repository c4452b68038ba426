import Testing

/// The tests that the threat model names for its lines exist.
@Suite struct ThreatsPageTests {
    @Test func `every named suite exists`() throws {
        let page = try #require(Page.all.first { $0.path == "config/threats.md" })
        var suites: Set<String> = []
        for line in page.lines {
            for (index, word) in line.text.split(separator: "`").enumerated()
            where index % 2 == 1 && word.hasSuffix("Tests") {
                suites.insert(String(word))
            }
        }
        #expect(suites.count > 15)
        let named = Set(
            TidyTests.tests.flatMap { [$0.module] + $0.path.split(separator: "/").map(String.init) }
        )
        for suite in suites {
            #expect(named.contains(suite) || named.contains("\(suite).swift"), "\(suite)")
        }
    }
}
