import TestSupport
import Testing

@testable import Commands

@Suite struct KnownNamesTests {
    @Test func `a mistyped name is answered with the closest one`() {
        let complaint = KnownNames.complaint("flag", "conflcit", among: ["conflict", "overdue"])
        #expect(complaint.hasPrefix("there is no flag “conflcit”; "), "\(complaint)")
        #expect(complaint.contains("conflict"), "\(complaint)")
        #expect(!complaint.contains("overdue"), "\(complaint)")
    }

    @Test func `control characters in a name cannot steer the terminal`() {
        let complaint = KnownNames.complaint("endpoint", "a\u{1B}[2J", among: ["antom"])
        #expect(!complaint.contains("\u{1B}"), "\(complaint)")
    }

    @Test func `a long name is cut`() {
        let name = String(repeating: "x", count: 1000)
        #expect(KnownNames.complaint("flag", name, among: ["conflict"]).count < 200)
    }

    @Test func `flags include what only the index derives`() {
        #expect(KnownNames.flags.contains("overdue"))
        #expect(KnownNames.flags.contains("conflict"))
        #expect(Set(KnownNames.flags).count == KnownNames.flags.count)
    }

    @Test func `a configuration that cannot be read has no complaint`() {
        #expect(KnownNames.complaint(ofEndpoint: "antom", inFile: "/nonexistent/ipnd.yaml") == nil)
    }
}
