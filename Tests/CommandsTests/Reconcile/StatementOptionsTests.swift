import Reconciliation
import Testing

@testable import Commands

@Suite struct StatementOptionsTests {
    @Test func `the defaults name the usual columns`() throws {
        let options = try StatementOptions.parse([])
        let layout = try options.layout
        #expect(layout.reference == "reference")
        #expect(layout.amount == "amount")
        #expect(layout.statusIsOptional)
        #expect(options.separatorByte == 0x2C)
    }

    @Test func `a named status column is required`() throws {
        let layout = try StatementOptions.parse(["--status-column", "State"]).layout
        #expect(layout.status == "State")
        #expect(!layout.statusIsOptional)
    }

    @Test func `words of the file are mapped to statuses`() throws {
        let layout = try StatementOptions.parse([
            "--status-word", "SETTLED=paid", "--status-word", "a=b=refunded",
        ]).layout
        #expect(layout.words == ["SETTLED": .paid, "a=b": .refunded])
    }

    @Test(arguments: [(";", 0x3B), ("tab", 0x09), ("|", 0x7C)] as [(String, UInt8)])
    func `a separator is one character or tab`(text: String, byte: UInt8) throws {
        #expect(try StatementOptions.parse(["--separator", text]).separatorByte == byte)
    }

    @Test(arguments: [
        ["--separator", "\""], ["--separator", ""], ["--status-word", "paid"],
        ["--status-word", "x=payed"], ["--compare", "sum"], ["--currency", "XXY"],
        ["--minor", "--decimal-comma"],
    ])
    func `invalid options are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try StatementOptions.parse(arguments) }
    }

    @Test func `expected statuses replace the default ones`() throws {
        let comparison = try StatementOptions.parse(["--expect", "paid,refunded"]).comparison
        #expect(comparison.listed == [.paid, .refunded])
    }
}
