import Payments

/// The names of a statement's columns and the format of its values.
///
/// A column is given by its name in the first row, or by its number from 1.
package struct StatementLayout: Sendable, Equatable {
    package enum AmountForm: Sendable, Equatable {
        /// `42.00`
        case decimal
        /// `42,00`
        case decimalComma
        /// `4200`
        case minor
    }

    package var reference = "reference"
    /// Nil if amounts are not compared.
    package var amount: String? = "amount"
    package var currency = "currency"
    /// The currency of a statement without a currency column.
    package var fixedCurrency: Currency?
    /// Nil if statuses are not compared.
    package var status: String? = "status"
    /// Whether the status column may be missing; then statuses are not compared.
    package var statusIsOptional = true
    package var amountForm = AmountForm.decimal
    /// The statement's words for statuses, in addition to those of ipnd.
    package var words: [String: OrderStatus] = [:]

    package init() {}
}

/// The reason why a statement cannot be read at all: its first row lacks a column, or has two of
/// that name.
package struct StatementColumnMissing: Error, Sendable, Equatable {
    package let column: String
    /// The existing columns.
    package let known: [String]
    /// The numbers, from 1, of the first two columns of the name; empty if there is none.
    package let places: [Int]

    package init(column: String, known: [String], places: [Int] = []) {
        self.column = column
        self.known = known
        self.places = places
    }
}

/// Reads the rows of a statement.
package struct StatementRows: Sendable {
    private let layout: StatementLayout
    private let reference: Int
    private let amount: Int?
    private let currency: Int?
    private let status: Int?
    private let count: Int

    /// - Parameter titles: The first row.
    package init(
        _ titles: [String], _ layout: StatementLayout
    ) throws(StatementColumnMissing) {
        self.layout = layout
        reference = try Self.place(layout.reference, titles)
        amount = layout.amount == nil ? nil : try Self.place(layout.amount ?? "", titles)
        currency =
            layout.amount == nil || layout.fixedCurrency != nil
            ? nil : try Self.place(layout.currency, titles)
        do throws(StatementColumnMissing) {
            status = layout.status == nil ? nil : try Self.place(layout.status ?? "", titles)
        } catch {
            guard layout.statusIsOptional, error.places.isEmpty else { throw error }
            status = nil
        }
        count = titles.count
    }

    private static func place(
        _ column: String, _ titles: [String]
    ) throws(StatementColumnMissing) -> Int {
        let names = titles.map(\.trimmed)
        let lowered = names.map { $0.lowercased() }
        for (name, names) in [(column, names), (column.lowercased(), lowered)] {
            let places = names.indices.filter { names[$0] == name }
            guard places.count < 2 else {
                // A guess between two amount columns could hide a difference.
                throw StatementColumnMissing(
                    column: column, known: names, places: places.prefix(2).map { $0 + 1 })
            }
            if let place = places.first { return place }
        }
        if let number = Int(column), names.indices.contains(number - 1) { return number - 1 }
        throw StatementColumnMissing(column: column, known: names)
    }

    package var hasStatus: Bool { status != nil }

    /// The reference of a row, even if its other values cannot be read.
    func reference(_ fields: [String]) -> String? {
        fields.indices.contains(reference) ? Self.unprotected(fields[reference].trimmed) : nil
    }

    /// - Throws: ``StatementMistake``.
    package func entry(_ fields: [String], line: Int) throws(StatementMistake) -> StatementEntry {
        guard fields.count == count else { throw .fields(fields.count, of: count) }
        let name = Self.unprotected(fields[reference].trimmed)
        guard !name.isEmpty else { throw .noReference }
        guard name.isWord else { throw .badReference }
        return StatementEntry(
            line: line, reference: name, amount: try money(fields), status: try status(fields))
    }

    private func money(_ fields: [String]) throws(StatementMistake) -> Money? {
        guard let amount else { return nil }
        let text = fields[amount].trimmed
        let code = currency.map { fields[$0].trimmed }
        guard !text.isEmpty else { return nil }
        guard let currency = code.map({ Currency(listed: $0) }) ?? layout.fixedCurrency else {
            throw .badCurrency(code ?? "")
        }
        let isNegative = text.hasPrefix("-")
        let digits = String(text.dropFirst(isNegative ? 1 : 0))
        let money: Money? =
            switch layout.amountForm {
            case .minor: Money(minorDigits: digits, currency: currency)
            case .decimal:
                Money(decimal: digits, currency: currency, allowingTrailingZeros: true)
            case .decimalComma where digits.contains("."): nil
            case .decimalComma:
                Money(
                    decimal: String(digits.map { $0 == "," ? "." : $0 }), currency: currency,
                    allowingTrailingZeros: true)
            }
        guard let money else { throw .badAmount(text, currency) }
        return isNegative ? Money(minor: -money.minor, currency: currency) : money
    }

    private func status(_ fields: [String]) throws(StatementMistake) -> OrderStatus? {
        guard let status else { return nil }
        let word = fields[status].trimmed
        guard !word.isEmpty else { return nil }
        if let known = layout.words[word] { return known }
        let plain = String(word.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
        guard let known = OrderStatus(rawValue: plain) else { throw .badStatus(word) }
        return known
    }

    /// Removes the apostrophe that our own exports put before text that a spreadsheet would take
    /// for a formula.
    private static func unprotected(_ text: String) -> String {
        guard text.hasPrefix("'"), let second = text.dropFirst().first,
            "=+-@".contains(second)
        else { return text }
        return String(text.dropFirst())
    }
}

/// One row of a statement.
package struct StatementEntry: Sendable, Equatable {
    package var line: Int
    package var reference: String
    package var amount: Money?
    package var status: OrderStatus?
}

/// An invalid value of a row.
package enum StatementMistake: Error, Sendable, Equatable {
    case fields(Int, of: Int)
    case noReference
    case badReference
    case badCurrency(String)
    case badAmount(String, Currency)
    case badStatus(String)
    /// The sum of an order's rows exceeds 64 bits.
    case sumTooLarge(String)
}

extension StatementMistake: CustomStringConvertible {
    package var description: String {
        switch self {
        case .fields(let count, let expected):
            "the row has \(count) of \(expected) fields"
        case .noReference: "the reference is empty"
        case .badReference:
            "the reference has more than \(wordBytesMax) bytes, or a control character"
        case .badCurrency(let code): "“\(code)” is not a currency (ISO 4217)"
        case .badAmount(let text, let currency):
            "“\(text)” is not a valid \(currency.code) amount"
        case .badStatus(let word):
            "the status “\(word)” is unknown; say what it means with --status-word \(word)=paid"
        case .sumTooLarge(let reference): "the amounts of \(reference) are too large to add up"
        }
    }
}

extension String {
    /// The text without spaces and tabs around it.
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
