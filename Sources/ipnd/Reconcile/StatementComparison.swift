import ArgumentParser
import Configuration
import Glibc
import JSON
import Platform
import Reconciliation
import Store

/// A file of orders, read whole.
enum StatementFile {
    /// Longer files are given in parts. In bytes.
    private static let bytesMax = 1 << 30

    /// Throws an exit status after saying why.
    static func read(
        _ path: String, _ layout: StatementLayout, separator: UInt8
    ) throws -> Statement {
        let bytes: [UInt8]
        do throws(FileContents.Problem) {
            bytes = try FileContents(
                path: path == "-" ? "/dev/stdin" : path, bytesMax: bytesMax, allowsPipes: true
            ).bytes
        } catch {
            throw ReconcileCommand.failure("\(path) \(error.clause)", EX_NOINPUT)
        }
        var statement = Statement(layout, separator: separator)
        do throws(StatementColumnMissing) {
            try statement.feed(bytes)
            try statement.finish()
        } catch {
            guard !error.known.isEmpty else {
                throw ReconcileCommand.failure("\(path) has no row of column names", EX_DATAERR)
            }
            let remedy = Suggestion.remedy(for: error.column, among: error.known)
            throw ReconcileCommand.failure(
                "\(path): there is no column “\(error.column)”; \(remedy)", EX_DATAERR)
        }
        return statement
    }
}

/// Compares a file with the orders that a source lists, and asks nobody else.
struct StatementComparison {
    struct Outcome {
        var comparison: Comparison
        /// How many orders the source has of the endpoint and the period.
        var ledgerOrders: Int
    }

    private let statement: Statement
    private var comparison: Comparison
    private let source: any OrderSource
    private let query: OrderQuery

    init(
        _ statement: Statement, _ comparison: Comparison, _ source: any OrderSource,
        _ query: OrderQuery
    ) {
        self.statement = statement
        self.comparison = comparison
        self.source = source
        self.query = query
    }

    func run() async throws -> Outcome {
        var comparison = comparison
        var open = Set(statement.references)
        // Those that the file does not name by their own reference.
        var alone: [LedgerOrder] = []
        var count = 0
        try await source.forEach(query) { value in
            guard let order = LedgerOrder(value) else { return }
            count += 1
            if let reference = order.reference, open.remove(reference) != nil,
                let claim = statement.claims[reference]
            {
                comparison.compare(order, as: reference, claim)
            } else if comparison.listed.contains(order.status) {
                alone.append(order)
            }
        }
        var found: Set<UInt64> = []
        let bar = ProgressBar("looking up")
        let total = open.count
        var done = 0
        for reference in statement.references where open.contains(reference) {
            guard let claim = statement.claims[reference] else { continue }
            if let order = try await order(reference) {
                // Under an alias, or of another period.
                found.insert(order.first)
                comparison.compare(order, as: reference, claim)
            } else {
                comparison.lacks(reference, claim)
            }
            done += 1
            bar.show(done, of: total)
        }
        bar.finish()
        for order in alone.reversed() where !found.contains(order.first) {
            if let reference = order.reference, statement.unclear.contains(reference) { continue }
            comparison.isAlone(order)
        }
        return Outcome(comparison: comparison, ledgerOrders: count)
    }

    private func order(_ reference: String) async throws -> LedgerOrder? {
        var query = OrderQuery()
        (query.endpoint, query.reference) = (self.query.endpoint, reference)
        return try await source.orders(query, limit: 1).first.flatMap { LedgerOrder($0) }
    }
}
