import Foundation
import TestSupport
import Testing

@testable import Journal

/// Every row of the decision table in Format.md.
@Suite struct RecoveryTableTests {
    /// The setup of a row, and its expected outcome.
    struct Case: CustomTestStringConvertible, Sendable {
        enum Outcome: Sendable {
            /// It opens with this many records; `torn` is where a tail was cut from the last
            /// segment.
            case opens(records: Int, torn: Int? = nil)
            case refuses(Damage.Reason, String, Int)
        }

        var row: String
        var what: String
        var make: @Sendable () throws -> JournalFixture
        var outcome: Outcome
        /// Whether a verification finds the same damage. It needs neither the lock nor the first
        /// segments.
        var isSeenByVerifier = true

        var testDescription: String { "\(row): \(what)" }
    }

    typealias Fixture = JournalFixture
    static let (first, second, third) = (Fixture.first, Fixture.second, Fixture.third)
    /// Where the frames of the last segment begin and end.
    static let (frame1, frame2, end) = (512, 2560, 4608)

    static let cases: [Case] = directoryCases + headerCases + frameCases + snapshotCases

    @Test(arguments: cases)
    func `a row is decided as written`(_ test: Case) throws {
        let fixture = try test.make()
        let before = Fixture.names.map { fixture[$0] }
        switch test.outcome {
        case .opens(let records, let torn):
            let (writer, found) = try fixture.open()
            #expect(found == (0..<records).map { Fixture.record($0 + 1) })
            #expect(writer.recovery.torn?.offset == torn)
            if let torn { try checkCut(fixture, torn, before[2] ?? []) }
            // It continues, and later writes stay.
            try writer.append { $0.append(contentsOf: Fixture.record(records + 1)) }
            try writer.commit()
            writer.close()
            #expect(try fixture.open().records.count == records + 1)
        case .refuses(let reason, let file, let offset):
            let error = #expect(throws: JournalError.self) { _ = try fixture.open() }
            guard case .damaged(let damage)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(damage.reason == reason && damage.file == file && damage.offset == offset)
            #expect(Fixture.names.map { fixture[$0] } == before, "a refusal changes nothing")
            try checkVerifier(fixture, test, damage)
        }
    }

    private func checkCut(_ fixture: JournalFixture, _ torn: Int, _ before: [UInt8]) throws {
        let copy = try #require(fixture[Format.tornName(firstSequence: 13, offset: torn)])
        #expect(before[torn...].starts(with: copy))
        #expect(before[(torn + copy.count)...].allSatisfy { $0 == 0 })
        #expect(try #require(fixture[Self.third])[torn...].allSatisfy { $0 == 0 })
    }

    private func checkVerifier(
        _ fixture: JournalFixture, _ test: Case, _ damage: Damage
    ) throws {
        var verifier = JournalVerifier(
            directory: CrashWorkload.directory, storage: fixture.storage,
            options: JournalFixture.options)
        let found = try verifier.run().damage
        guard test.isSeenByVerifier else { return }
        #expect(found?.reason == damage.reason)
        #expect(found?.file == damage.file && found?.offset == damage.offset)
    }

    @Test func `every row of the page has a case`() throws {
        let rows = try SourceTree.text("Sources/Journal/Format.md").split(separator: "\n")
            .compactMap { $0.wholeMatch(of: /\| ([DSFP]\d+) \|.*/)?.1 }
        #expect(rows.count >= 26)
        // D1 is a lock, tested in `JournalWriterTests`.
        #expect(Set(rows.map(String.init)) == Set(Self.cases.map(\.row) + ["D1"]))
    }
}
