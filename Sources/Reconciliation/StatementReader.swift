import Payments

/// Reads a statement, a provider's settlement report or the shop's own list, and keeps its rows by
/// reference.
///
/// The amounts of several rows of one order are added for each currency: a settlement report may
/// list a payment and its refunds, with their signs.
package struct StatementReader: Sendable {
    /// The content of the rows of one order.
    package struct Claim: Sendable, Equatable {
        /// The line of the first row.
        package var line: Int
        /// One amount for each currency, in the order of the rows.
        package private(set) var amounts: [Money] = []
        package private(set) var statuses: [OrderStatus] = []

        init(line: Int) { self.line = line }

        mutating func add(_ entry: StatementEntry) throws(StatementMistake) {
            if let amount = entry.amount {
                let place = amounts.firstIndex { $0.currency == amount.currency }
                if let place {
                    guard let sum = amounts[place].adding(amount) else {
                        throw .sumTooLarge(entry.reference)
                    }
                    amounts[place] = sum
                } else {
                    amounts.append(amount)
                }
            }
            if let status = entry.status, !statuses.contains(status) { statuses.append(status) }
        }

        /// Adds the rows that name the same order by another reference, such as that of a refund. A
        /// sum that exceeds 64 bits is kept as two amounts, which match no order.
        package mutating func add(_ other: Claim) {
            line = min(line, other.line)
            for amount in other.amounts {
                let place = amounts.firstIndex { $0.currency == amount.currency }
                if let place, let sum = amounts[place].adding(amount) {
                    amounts[place] = sum
                } else {
                    amounts.append(amount)
                }
            }
            for status in other.statuses where !statuses.contains(status) {
                statuses.append(status)
            }
        }
    }

    /// A row that could not be read.
    package struct BadLine: Sendable, Equatable {
        package let line: Int
        package let problem: String
    }

    /// The references in the order of the file.
    package private(set) var references: [String] = []
    package private(set) var claims: [ExactText: Claim] = [:]
    package private(set) var badLines: [BadLine] = []
    /// The references of bad lines, if they can be read. The other rows of those orders are
    /// incomplete: the orders are neither compared nor missing.
    package private(set) var unclear: Set<ExactText> = []
    package private(set) var rowCount = 0

    private let layout: StatementLayout
    private var csv: CSVReader
    private var rows: StatementRows?
    private var missing: StatementColumnMissing?

    package init(_ layout: StatementLayout, separator: UInt8 = UInt8(ascii: ",")) {
        self.layout = layout
        csv = CSVReader(separator: separator)
    }

    /// Whether the file has a status column.
    package var hasStatuses: Bool { rows?.hasStatus ?? false }

    /// Reads more bytes.
    ///
    /// - Throws: ``StatementColumnMissing`` for the first row.
    package mutating func feed(_ bytes: some Sequence<UInt8>) throws(StatementColumnMissing) {
        var items: [CSVReader.Item] = []
        csv.feed(bytes) { items.append($0) }
        for item in items { try take(item) }
    }

    /// Ends the file.
    package mutating func finish() throws(StatementColumnMissing) {
        var items: [CSVReader.Item] = []
        csv.finish { items.append($0) }
        for item in items { try take(item) }
        if rows == nil, badLines.isEmpty {
            throw StatementColumnMissing(column: layout.reference, known: [])
        }
    }

    private mutating func take(_ item: CSVReader.Item) throws(StatementColumnMissing) {
        switch item {
        case .broken(let line, let mistake):
            badLines.append(BadLine(line: line, problem: "\(mistake)"))
        case .row(let line, let fields):
            guard let rows else {
                rows = try StatementRows(fields, layout)
                return
            }
            rowCount += 1
            do throws(StatementMistake) {
                try add(try rows.entry(fields, line: line))
            } catch {
                badLines.append(BadLine(line: line, problem: "\(error)"))
                rows.reference(fields).map { _ = unclear.insert(ExactText($0)) }
            }
        }
    }

    private mutating func add(_ entry: StatementEntry) throws(StatementMistake) {
        let reference = ExactText(entry.reference)
        var claim = claims[reference] ?? Claim(line: entry.line)
        try claim.add(entry)
        if claims[reference] == nil { references.append(entry.reference) }
        claims[reference] = claim
    }
}

extension Money {
    /// The sum with an amount of the same currency; nil if it overflows.
    fileprivate func adding(_ other: Money) -> Money? {
        let (sum, isOverflow) = minor.addingReportingOverflow(other.minor)
        return isOverflow ? nil : Money(minor: sum, currency: currency)
    }
}
