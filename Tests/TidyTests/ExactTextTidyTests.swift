import Foundation
import Testing

/// Ids and references are compared by bytes. Swift's `String` compares by canonical equivalence, so
/// `é` as one code point equals `é` as two; to a provider these are two ids, and a sum would be
/// added to the wrong order.
@Suite struct ExactTextTidyTests {
    /// Modules that add sums by id.
    private static let modules: Set<String> = [
        "Payments", "Ledger", "Reconciliation", "Inquiry", "JournalStore",
    ]

    private static let collections = [
        "Set<String>", "[String:", "[String?:", "Dictionary(grouping",
    ]

    /// Exceptions: texts that ipnd itself defines, with the reason.
    private static let exceptions: [String: String] = [
        "Sources/Reconciliation/StatementLayout.swift": "the words of a file's status column",
        "Sources/Ledger/Seat.swift": "its ids are exact texts",
        "Sources/Inquiry/Backfill/InquiryService+Backfill.swift": "kinds of events, which are ours",
        "Sources/Inquiry/EndpointWorkers.swift": "names of endpoints, which are ASCII",
        "Sources/Inquiry/InquiryState.swift": "names of endpoints, which are ASCII",
        "Sources/Inquiry/InquiryService.swift": "names of endpoints, which are ASCII",
    ]

    /// Finds `reference == other`; comparing with nil and comparing bytes is allowed.
    private static var comparison: some RegexComponent<(Substring, Substring)> {
        #/
        (reference | alias | transaction | operation | [^A-Za-z]id | leastID | pointer) \??
        \s* [=!]= \s* (?!nil\b) ["a-z$]
        /#
    }

    static func findings(in source: TidyTests.Source) -> [String] {
        source.lines.enumerated().compactMap { number, line in
            let code = line.split(separator: "//", omittingEmptySubsequences: false).first ?? ""
            let isFound =
                collections.contains { code.hasBytes(of: $0) }
                || code.hasBytes(of: "=") && code.contains(comparison)
            return isFound ? "\(source.path):\(number + 1): \(code)" : nil
        }
    }

    @Test func `no rule compares ids as strings`() {
        for source in TidyTests.sources where Self.modules.contains(source.module) {
            guard Self.exceptions[source.path] == nil else { continue }
            for found in Self.findings(in: source) { Issue.record("\(found)") }
        }
    }

    @Test func `every exception is still needed`() {
        for path in Self.exceptions.keys {
            let source = TidyTests.sources.first { $0.path == path }
            #expect(source.map { !Self.findings(in: $0).isEmpty } ?? false, "\(path)")
        }
    }

    @Test(arguments: [
        "var seen: Set<String> = []", "let open: [String: Claim]", "if order.reference == name {",
        "guard refund.id != other.id", "$0.transaction == id",
    ])
    func `the check finds what it must`(line: String) {
        #expect(!Self.findings(in: TidyTests.Source(path: "Sources/X/X.swift", text: line)).isEmpty)
    }

    @Test(arguments: [
        "order.reference == nil ? 1 : 2", "order.reference != nil", "// a.id == b.id",
        "a.reference.isExactly(b)", "var seen: Set<ExactText> = []",
    ])
    func `the check passes what it may`(line: String) {
        #expect(Self.findings(in: TidyTests.Source(path: "Sources/X/X.swift", text: line)).isEmpty)
    }
}
