import ArgumentParser
import Console
import Glibc
import JSON
import Payments
import Platform
import Reconciliation
import ServerConfiguration
import Store

/// Reads a file of orders.
enum StatementFile {
    /// Maximum size of the file.
    private static let bytesMax = 1 << 30

    /// Reads the whole file. Throws an exit status after printing the reason.
    static func read(
        _ path: String, _ layout: StatementLayout, separator: UInt8
    ) throws -> StatementReader {
        let bytes: [UInt8]
        do throws(FileContents.Problem) {
            bytes = try FileContents(
                path: path == "-" ? "/dev/stdin" : path, bytesMax: bytesMax, allowsPipes: true
            ).bytes
        } catch {
            throw ReconcileCommand.failure("\(path) \(error.clause)", EX_NOINPUT)
        }
        var statement = StatementReader(layout, separator: separator)
        do throws(StatementColumnMissing) {
            try statement.feed(bytes)
            try statement.finish()
        } catch {
            guard !error.known.isEmpty else {
                throw ReconcileCommand.failure("\(path) has no row of column names", EX_DATAERR)
            }
            throw ReconcileCommand.failure("\(path): \(complaint(error))", EX_DATAERR)
        }
        return statement
    }

    private static func complaint(_ error: StatementColumnMissing) -> String {
        if let first = error.places.first, let second = error.places.last {
            return "there are two columns “\(error.column)”; "
                + "select one by its number, \(first) or \(second)"
        }
        let remedy =
            Int(error.column) == nil
            ? Suggestion.remedy(for: error.column, among: error.known)
            : "the file has \(counted(error.known.count, "column"))"
        return "there is no column “\(error.column)”; \(remedy)"
    }
}

/// Compares a file with the orders of a source.
struct StatementComparison {
    struct Outcome {
        var comparison: Comparison
        /// Number of orders in the source, of the endpoint and the period.
        var ledgerOrders: Int
    }

    private let statement: StatementReader
    private var comparison: Comparison
    private let source: any OrderSource
    private let query: OrderQuery

    init(
        _ statement: StatementReader, _ comparison: Comparison, _ source: any OrderSource,
        _ query: OrderQuery
    ) {
        self.statement = statement
        self.comparison = comparison
        self.source = source
        self.query = query
    }

    /// An order, and the file's rows under any of its references.
    private struct Match {
        let order: LedgerOrder
        /// The reference of its first row.
        var reference: String
        var claim: StatementReader.Claim?
        /// Whether one of its rows cannot be read.
        var isUnclear = false
    }

    func run() async throws -> Outcome {
        var comparison = comparison
        var open = Set(statement.references.map { ExactText($0) }).union(statement.unclear)
        var matches: [UInt64: Match] = [:]
        // Orders that the file does not name by their own reference.
        var alone: [LedgerOrder] = []
        var count = 0
        try await source.forEach(query) { value in
            guard let order = LedgerOrder(value) else { return }
            count += 1
            if let reference = order.reference, open.remove(ExactText(reference)) != nil {
                add(order, reference, to: &matches)
            } else if comparison.listed.contains(order.status) {
                alone.append(order)
            }
        }
        let missing = try await lookUp(open, &matches)
        let found = matches.values.compactMap { match in
            match.isUnclear ? nil : match.claim.map { (match, $0) }
        }
        for (match, claim) in found.sorted(by: { $0.1.line < $1.1.line }) {
            comparison.compare(match.order, as: match.reference, claim)
        }
        for (reference, claim) in missing { comparison.lacks(reference, claim) }
        for order in alone.reversed() where matches[order.first] == nil {
            comparison.isAlone(order)
        }
        return Outcome(comparison: comparison, ledgerOrders: count)
    }

    /// Looks up orders by alias or of another period. Returns the references without an order.
    private func lookUp(
        _ references: Set<ExactText>, _ matches: inout [UInt64: Match]
    ) async throws -> [(String, StatementReader.Claim)] {
        var missing: [(String, StatementReader.Claim)] = []
        let bar = ProgressBar("looking up")
        let named = statement.references.filter { references.contains(ExactText($0)) }
        let unclear = statement.unclear.filter {
            references.contains($0) && statement.claims[$0] == nil
        }
        for (done, reference) in (named + unclear.map(\.text)).enumerated() {
            if let order = try await order(reference) {
                add(order, reference, to: &matches)
            } else if let claim = statement.claims[ExactText(reference)],
                !statement.unclear.contains(ExactText(reference))
            {
                missing.append((reference, claim))
            }
            bar.show(done + 1, of: references.count)
        }
        bar.finish()
        return missing
    }

    private func add(
        _ order: LedgerOrder, _ reference: String, to matches: inout [UInt64: Match]
    ) {
        let claim = statement.claims[ExactText(reference)]
        var match = matches[order.first] ?? Match(order: order, reference: reference)
        if let claim, let known = match.claim {
            // The refunds of an order may have their own references.
            if claim.line < known.line { match.reference = reference }
            match.claim?.add(claim)
        } else if let claim {
            (match.claim, match.reference) = (claim, reference)
        }
        if statement.unclear.contains(ExactText(reference)) { match.isUnclear = true }
        matches[order.first] = match
    }

    private func order(_ reference: String) async throws -> LedgerOrder? {
        var query = OrderQuery()
        (query.endpoint, query.reference) = (self.query.endpoint, reference)
        return try await source.orders(query, limit: 1).first.flatMap { LedgerOrder($0) }
    }
}
