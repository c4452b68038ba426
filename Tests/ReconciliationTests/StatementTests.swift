import Payments
import Reconciliation
import Testing

@Suite struct StatementTests {
    private func read(
        _ text: String, _ change: (inout StatementLayout) -> Void = { _ in }
    ) throws -> StatementReader {
        var layout = StatementLayout()
        change(&layout)
        var statement = StatementReader(layout)
        try statement.feed(Array(text.utf8))
        try statement.finish()
        return statement
    }

    private let myr = Currency("MYR")!

    @Test func `columns are found by name in any order`() throws {
        let statement = try read("Status,Currency,x,Amount,Reference\npaid,MYR,,42.00,R-1\n")
        let claim = try #require(statement.claims["R-1"])
        #expect(claim.amounts == [Money(minor: 4200, currency: myr)])
        #expect(claim.statuses == [.paid])
        #expect(statement.badLines.isEmpty && statement.rowCount == 1)
    }

    /// One letter as one code point, and as two.
    @Test func `references that only look alike are not added up`() throws {
        let statement = try read(
            "reference,currency,amount\ncaf\u{e9},MYR,1.00\ncafe\u{301},MYR,2.00\n")
        #expect(statement.references.count == 2)
        let sums = ["caf\u{e9}", "cafe\u{301}"].map {
            statement.claims[ExactText($0)]?.amounts.map(\.minor)
        }
        #expect(sums == [[100], [200]])
    }

    @Test func `columns may be named by number`() throws {
        let statement = try read("Order,Sum\nR-1,4200\n") {
            ($0.reference, $0.amount) = ("1", "2")
            ($0.amountForm, $0.fixedCurrency) = (.minor, myr)
        }
        #expect(statement.claims["R-1"]?.amounts == [Money(minor: 4200, currency: myr)])
        #expect(!statement.hasStatuses)
    }

    @Test func `a missing column is named`() {
        #expect(throws: StatementColumnMissing(column: "amount", known: ["reference", "sum"])) {
            try read("reference,sum\nR-1,1\n")
        }
        #expect(throws: StatementColumnMissing(column: "state", known: ["reference"])) {
            try read("reference\n") {
                ($0.amount, $0.status, $0.statusIsOptional) = (nil, "state", false)
            }
        }
        #expect(throws: StatementColumnMissing(column: "reference", known: [])) { try read("") }
    }

    /// A guess between two amount columns could hide a difference.
    @Test(arguments: ["reference,amount,Amount,amount", "reference,Amount,AMOUNT"])
    func `two columns of a name are refused`(_ titles: String) throws {
        #expect { try read("\(titles),currency\n") } throws: { error in
            guard let error = error as? StatementColumnMissing else { return false }
            return error.column == "amount" && error.places.count == 2 && error.places[0] == 2
        }
        let statement = try read("reference,amount,amount,currency\nR-1,1.00,2.00,MYR\n") {
            $0.amount = "3"
        }
        #expect(statement.claims["R-1"]?.amounts == [Money(minor: 200, currency: myr)])
        #expect(throws: StatementColumnMissing.self) {
            try read("reference,amount,currency,status,status\n")
        }
    }

    @Test(
        arguments: [
            (StatementLayout.AmountForm.decimal, "42.00", "MYR", 4200),
            (.decimal, "42", "MYR", 4200), (.decimal, "42.0000", "MYR", 4200),
            (.decimal, "-0.05", "MYR", -5), (.decimal, "5.00", "JPY", 5),
            (.decimal, "1.234", "KWD", 1234), (.decimalComma, "42,00", "MYR", 4200),
            (.minor, "4200", "MYR", 4200), (.minor, "-4200", "JPY", -4200),
            (.decimal, "92233720368547758.07", "MYR", .max),
        ] as [(StatementLayout.AmountForm, String, String, Int64)])
    func `amounts are exact`(
        _ form: StatementLayout.AmountForm, _ text: String, _ code: String, _ minor: Int64
    ) throws {
        let statement = try read("reference,amount,currency\nR-1,\"\(text)\",\(code)\n") {
            $0.amountForm = form
        }
        let currency = try #require(Currency(code))
        #expect(statement.badLines.isEmpty)
        #expect(statement.claims["R-1"]?.amounts == [Money(minor: minor, currency: currency)])
    }

    @Test(arguments: [
        "R-1,1.001,MYR,paid", "R-1,1e2,MYR,paid", "R-1,\"1,000.00\",MYR,paid", "R-1,+1,MYR,paid",
        "R-1,0x1,MYR,paid", "R-1,1.00,XXX,paid", "R-1,1.00,,paid", "R-1,1.00,MYR,settled",
        "R-1,1.00,MYR", "R-1,1.00,MYR,paid,x", ",1.00,MYR,paid", "R-1,--1,MYR,paid",
        "R-1,92233720368547758.08,MYR,paid", "R-1,٤,MYR,paid",
    ])
    func `what cannot be read is a bad line and nothing else`(_ row: String) throws {
        let statement = try read("reference,amount,currency,status\n\(row)\nR-2,2.00,MYR,paid\n")
        #expect(statement.badLines.map(\.line) == [2])
        #expect(statement.claims["R-1"] == nil && statement.claims["R-2"] != nil)
    }

    /// An order with an unreadable row is not missing.
    @Test func `the reference of a bad line is known`() throws {
        let statement = try read("reference,amount,currency\nR-1,x,MYR\n")
        #expect(statement.unclear == ["R-1"])
    }

    @Test func `rows of one order are added exactly`() throws {
        var text = "reference,amount,currency,status\n"
        // Ten times 0.10 is not 1.00 in binary fractions.
        for _ in 0..<10 { text += "R-1,0.10,MYR,paid\n" }
        text += "R-1,-0.30,MYR,refunded\nR-1,1,JPY,\n"
        let claim = try #require(try read(text).claims["R-1"])
        #expect(
            claim.amounts == [
                Money(minor: 70, currency: myr), Money(minor: 1, currency: Currency("JPY")!),
            ])
        #expect(claim.statuses == [.paid, .refunded] && claim.line == 2)
    }

    @Test func `a sum that does not fit is a bad line`() throws {
        let row = "R-1,92233720368547758.07,MYR\n"
        let statement = try read("reference,amount,currency\n\(row)\(row)")
        #expect(statement.badLines.map(\.line) == [3])
    }

    @Test func `words of the file are translated`() throws {
        let statement = try read(
            "reference,amount,currency,status\nR-1,1.00,MYR,SETTLED\nR-2,1.00,MYR,Charged Back\n"
        ) {
            $0.words = ["SETTLED": .paid]
        }
        #expect(statement.claims["R-1"]?.statuses == [.paid])
        #expect(statement.claims["R-2"]?.statuses == [.chargedBack])
    }

    /// Our own exports protect spreadsheets from formulas.
    @Test func `an export's apostrophe is taken off`() throws {
        let statement = try read("reference,amount,currency\n'=R-1,1.00,MYR\n'R-2,1.00,MYR\n")
        #expect(statement.references == ["=R-1", "'R-2"])
    }
}
