import Ledger
import Payments
import PostgreSQL

/// The rows of `order_state`. What stands in the texts is for people and filters: see the SQL.
///
/// A plain INSERT costs half of one that looks for conflicts, so orders that are known to be new
/// have a statement of their own.
struct OrderColumns {
    private let areNew: Bool
    private var keys = Column(.uuid)
    private var endpoints = Column(.int4)
    private var facts = Column(.bytes)
    private var laterCounts = Column(.int8)
    private var laterLasts = Column(.int8)
    private var firsts = Column(.int8)
    private var lasts = Column(.int8)
    private var created = Column(.timestamp)
    private var updated = Column(.timestamp)
    private var references = Column(.text)
    private var transactions = Column(.text)
    private var statuses = Column(.text)
    private var currencies = Column(.text)
    private var amounts = Column(.int8)
    private var refunded = Column(.int8)
    private var authorized = Column(.int8)
    private var captured = Column(.int8)
    private var reasonCodes = Column(.text)
    private var reasonMessages = Column(.text)
    private var flags = Column(.text)
    private var expectedAmounts = Column(.int8)
    private var expectedCurrencies = Column(.text)
    private var expires = Column(.timestamp)
    private var metadata = Column(.text)

    var isEmpty: Bool { keys.isEmpty }

    /// - Parameter areNew: The table has none of them.
    init(areNew: Bool) { self.areNew = areNew }

    mutating func append(
        _ key: KeyHash, _ stored: StoredOrder, first: Int64, created: Int64, last: UInt64,
        updated: Int64, transaction: String?, metadata: String?
    ) {
        keys.append(key)
        endpoints.append(Int64(stored.endpoint))
        var bytes: [UInt8] = []
        stored.encode(into: &bytes)
        facts.append(bytes)
        laterCounts.append(Int64(clamping: stored.later.count))
        laterLasts.append(Int64(clamping: stored.later.last))
        firsts.append(first)
        lasts.append(Int64(clamping: last))
        self.created.append(microseconds: created)
        self.updated.append(microseconds: updated)
        references.append(stored.order.reference)
        transactions.append(transaction)
        self.metadata.append(metadata)
        append(stored.order.summary)
        append(stored.order.expected)
    }

    private mutating func append(_ summary: OrderSummary) {
        statuses.append(summary.status.rawValue)
        let sums = [summary.amount, summary.captured, summary.refunded, summary.authorized]
        currencies.append(sums.compactMap(\.self).first.map { $0.currency.code })
        amounts.append(summary.amount?.minor)
        refunded.append(summary.refunded?.minor)
        authorized.append(summary.authorized?.minor)
        captured.append(summary.captured?.minor)
        reasonCodes.append(summary.reason?.code)
        reasonMessages.append(summary.reason?.message)
        let names = summary.flags.map(\.rawValue)
        flags.append(names.isEmpty ? "" : ",\(names.joined(separator: ",")),")
    }

    private mutating func append(_ expected: Expectation?) {
        expectedAmounts.append(expected?.amount.minor)
        expectedCurrencies.append(expected.map { $0.amount.currency.code })
        if let time = expected?.expires {
            expires.append(microseconds: time.microseconds)
        } else {
            expires.appendNull()
        }
    }

    var command: Command {
        let all = [
            keys, endpoints, facts, laterCounts, laterLasts, firsts, lasts, created, updated,
            references, transactions, statuses, currencies, amounts, refunded, authorized,
            captured, reasonCodes, reasonMessages, flags, expectedAmounts, expectedCurrencies,
            expires, metadata,
        ]
        let statement = areNew ? Self.insertion : Self.statement
        return all.reduce(Command(statement)) { $0.with($1) }
    }

    private static let names = [
        "key", "endpoint", "facts", "later_count", "later_last", "first", "last", "created",
        "updated", "reference", "transaction", "status", "currency", "amount", "refunded",
        "authorized", "captured", "reason_code", "reason_message", "flags",
        "expected_amount", "expected_currency", "expires", "metadata",
    ]

    private static let insert: String =
        "INSERT INTO order_state (\(names.joined(separator: ", "))) \(Statement.rows(names.count))"

    private static let insertion = Statement(name: "new_orders", sql: insert)

    private static let statement: Statement = {
        // What an event does not tell anew stays.
        let kept = ["transaction", "metadata"]
        let updates = names.dropFirst().map { name in
            kept.contains(name)
                ? "\(name) = coalesce(excluded.\(name), order_state.\(name))"
                : "\(name) = excluded.\(name)"
        }
        return Statement(
            name: "orders",
            sql: """
                \(insert)
                ON CONFLICT (key) DO UPDATE SET \(updates.joined(separator: ", "))
                """)
    }()
}
