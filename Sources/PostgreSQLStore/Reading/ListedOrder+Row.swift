import Payments
import PostgreSQL
import Store

extension ListedOrder {
    /// The columns that `init` reads, in this order.
    static let columns = """
        first, last, endpoint.name, status, created, updated, reference, transaction, currency, \
        amount, refunded, authorized, captured, reason_code, reason_message, method, agreement, \
        flags, expected_amount, expected_currency, expires, metadata
        """

    init(_ rows: PostgresResult, _ row: Int, now: Timestamp) throws(PostgresError) {
        self.init(
            first: UInt64(clamping: try rows.integer(row, 0)),
            last: UInt64(clamping: try rows.integer(row, 1)),
            endpoint: try rows.text(row, 2), status: try rows.text(row, 3),
            created: Timestamp(microseconds: try rows.microseconds(row, 4)),
            updated: Timestamp(microseconds: try rows.microseconds(row, 5)))
        reference = try rows.optionalText(row, 6)
        transaction = try rows.optionalText(row, 7)
        let currency = try rows.optionalText(row, 8)
        amount = try rows.money(row, 9, currency)
        refunded = try rows.money(row, 10, currency)
        authorized = try rows.money(row, 11, currency)
        captured = try rows.money(row, 12, currency)
        reason = Reason(
            code: try rows.optionalText(row, 13), message: try rows.optionalText(row, 14))
        method = try rows.optionalText(row, 15)
        agreement = try rows.optionalText(row, 16)
        flags = try rows.text(row, 17).split(separator: ",").map(String.init)
        expected = try rows.money(row, 18, try rows.optionalText(row, 19))
        if !rows.isNull(row, 20) {
            expires = Timestamp(microseconds: try rows.microseconds(row, 20))
        }
        metadata = try rows.optionalText(row, 21)
        noteOverdue(now: now)
    }
}

extension PostgresResult {
    func optionalText(_ row: Int, _ column: Int) throws(PostgresError) -> String? {
        isNull(row, column) ? nil : try text(row, column)
    }

    func money(
        _ row: Int, _ column: Int, _ code: String?
    ) throws(PostgresError) -> Money? {
        guard !isNull(row, column), let code else { return nil }
        guard let currency = Currency(code) else {
            throw .unexpected("an order's currency is not three capital letters")
        }
        return Money(minor: try integer(row, column), currency: currency)
    }
}
