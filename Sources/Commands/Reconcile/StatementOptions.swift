import ArgumentParser
import Reconciliation

// `Payments.Flag` would hide ArgumentParser's.
import struct Payments.Currency
import enum Payments.OrderStatus

/// The file that `ipnd reconcile` compares with, and its format.
struct StatementOptions: ParsableArguments {
    @Option(
        help: "A CSV file with a first row of column names; - reads standard input.",
        completion: .file(extensions: ["csv"]))
    var file: String?
    @Option(help: "Name or number of the column with the reference.")
    var referenceColumn = "reference"
    @Option(help: "Name or number of the column with the amount.") var amountColumn = "amount"
    @Option(help: "Name or number of the column with the currency.")
    var currencyColumn = "currency"
    @Option(
        help: "Name or number of the column with the status (default: status, if there is one).")
    var statusColumn: String?
    @Option(help: "The currency of all amounts, in place of a column (ISO 4217).")
    var currency: String?
    @Flag(help: "Amounts are integers of minor units.") var minor = false
    @Flag(help: "Amounts have a comma in place of the decimal point.") var decimalComma = false
    @Flag(help: "Do not compare amounts.") var noAmounts = false
    @Option(help: "The character between two fields; tab for a tab.") var separator = ","
    @Option(
        name: .customLong("status-word"),
        help: "Meaning of a word in the file, such as SETTLED=paid (repeatable).")
    var statusWords: [String] = []
    @Option(
        help: "The sum of an order that the file's amounts are compared with.",
        completion: .list(Comparison.Sum.allCases.map(\.rawValue)))
    var compare = Comparison.Sum.amount.rawValue
    @Option(
        help: "The statuses that must be in the file, comma-separated (default: all with money).",
        completion: .list(OrderStatus.allCases.map(\.rawValue)),
        transform: OrdersCommand.statuses)
    var expect: [OrderStatus]?

    func validate() throws {
        if minor, decimalComma { throw ValidationError("give either --minor or --decimal-comma") }
        if let currency, Currency(listed: currency) == nil {
            throw ValidationError("--currency: “\(currency)” is not a currency (ISO 4217)")
        }
        guard separatorByte != nil else {
            throw ValidationError("--separator: “\(separator)” is not one character, or tab")
        }
        guard Comparison.Sum(rawValue: compare) != nil else {
            let known = Comparison.Sum.allCases.map(\.rawValue)
            throw ValidationError(
                "--compare: " + KnownNames.complaint("such sum as", compare, among: known))
        }
        for word in statusWords { _ = try Self.meaning(word) }
    }

    private static func meaning(_ text: String) throws -> (word: String, status: OrderStatus) {
        guard let mark = text.lastIndex(of: "="), mark != text.startIndex else {
            throw ValidationError("--status-word: “\(text)” is not of the form SETTLED=paid")
        }
        let statuses = try OrdersCommand.statuses(String(text[text.index(after: mark)...]))
        guard let status = statuses.first, statuses.count == 1 else {
            throw ValidationError("--status-word: “\(text)” is not of the form SETTLED=paid")
        }
        return (String(text[..<mark]), status)
    }

    var separatorByte: UInt8? {
        if separator == "tab" || separator == "\t" { return UInt8(ascii: "\t") }
        guard separator.utf8.count == 1, let byte = separator.utf8.first, byte > 0x20,
            byte != UInt8(ascii: "\"")
        else { return nil }
        return byte
    }

    var layout: StatementLayout {
        get throws {
            var layout = StatementLayout()
            layout.reference = referenceColumn
            layout.amount = noAmounts ? nil : amountColumn
            layout.currency = currencyColumn
            layout.fixedCurrency = currency.flatMap { Currency(listed: $0) }
            layout.status = statusColumn ?? "status"
            layout.statusIsOptional = statusColumn == nil
            layout.amountForm = minor ? .minor : decimalComma ? .decimalComma : .decimal
            for text in statusWords {
                let (word, status) = try Self.meaning(text)
                layout.words[word] = status
            }
            return layout
        }
    }

    var comparison: Comparison {
        var comparison = Comparison()
        comparison.sum = Comparison.Sum(rawValue: compare) ?? .amount
        if let expect { comparison.listed = Set(expect) }
        return comparison
    }
}
