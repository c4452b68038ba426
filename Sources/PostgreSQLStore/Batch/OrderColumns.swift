import Ledger
import Payments
import PostgreSQL

/// Rows for `order_state`. Its text columns are for people and filters: see the SQL.
///
/// A plain INSERT costs half of one with a conflict clause, so new orders have their own
/// statements.
struct OrderColumns {
    enum Kind {
        /// The table has none of them, and their rarely used columns are empty.
        case plain
        /// The table has none of them.
        case new
        /// The table may have them.
        case known
    }

    private let kind: Kind
    private var keys = Column(.uuid)
    private var endpoints = Column(.int4)
    private var facts = Column(.bytes)
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
    private var methods = Column(.text)
    private var agreements = Column(.text)
    private var flags = Column(.text)
    private var laterCounts = Column(.int8)
    private var laterLasts = Column(.int8)
    private var expectedAmounts = Column(.int8)
    private var expectedCurrencies = Column(.text)
    private var expires = Column(.timestamp)
    private var metadata = Column(.text)

    var isEmpty: Bool { keys.isEmpty }

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// Whether a row leaves the rarely used columns at the table's defaults.
    static func isPlain(_ stored: StoredOrder, metadata: String?) -> Bool {
        stored.later == LaterRecords() && stored.order.expected == nil && metadata == nil
    }

    mutating func append(
        _ key: KeyHash, _ stored: StoredOrder, first: Int64, created: Int64, last: UInt64,
        updated: Int64, transaction: String?, metadata: String?
    ) {
        keys.append(key)
        endpoints.append(Int64(stored.endpoint))
        var bytes: [UInt8] = []
        stored.encode(into: &bytes)
        facts.append(bytes)
        firsts.append(first)
        lasts.append(Int64(clamping: last))
        self.created.append(microseconds: created)
        self.updated.append(microseconds: updated)
        references.append(stored.order.reference)
        transactions.append(transaction)
        append(stored.order.summary)
        guard kind != .plain else { return }
        laterCounts.append(Int64(clamping: stored.later.count))
        laterLasts.append(Int64(clamping: stored.later.last))
        append(stored.order.expected)
        self.metadata.append(metadata)
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
        methods.append(summary.method)
        agreements.append(summary.agreement)
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
            keys, endpoints, facts, firsts, lasts, created, updated, references, transactions,
            statuses, currencies, amounts, refunded, authorized, captured, reasonCodes,
            reasonMessages, methods, agreements, flags,
        ]
        let rare = [
            laterCounts, laterLasts, expectedAmounts, expectedCurrencies, expires, metadata,
        ]
        switch kind {
        case .plain: return all.reduce(Command(Self.plainInsertion)) { $0.with($1) }
        case .new: return (all + rare).reduce(Command(Self.insertion)) { $0.with($1) }
        case .known: return (all + rare).reduce(Command(Self.statement)) { $0.with($1) }
        }
    }

    private static let names = [
        "key", "endpoint", "facts", "first", "last", "created", "updated", "reference",
        "transaction", "status", "currency", "amount", "refunded", "authorized", "captured",
        "reason_code", "reason_message", "method", "agreement", "flags",
    ]
    private static let rareNames = [
        "later_count", "later_last", "expected_amount", "expected_currency", "expires",
        "metadata",
    ]

    private static func insert(_ names: [String]) -> String {
        "INSERT INTO order_state (\(names.joined(separator: ", "))) \(Statement.rows(names.count))"
    }

    private static let plainInsertion = Statement(name: "plain_orders", sql: insert(names))
    private static let insertion = Statement(name: "new_orders", sql: insert(names + rareNames))

    private static let statement: Statement = {
        // Without a new value from the event, the old one is kept.
        let kept = ["transaction", "metadata"]
        let updates = (names + rareNames).dropFirst().map { name in
            kept.contains(name)
                ? "\(name) = coalesce(excluded.\(name), order_state.\(name))"
                : "\(name) = excluded.\(name)"
        }
        return Statement(
            name: "orders",
            sql: """
                \(insert(names + rareNames))
                ON CONFLICT (key) DO UPDATE SET \(updates.joined(separator: ", "))
                """)
    }()
}
