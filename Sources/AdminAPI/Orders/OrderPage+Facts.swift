import JSON
import Payments

/// The facts that an order's status and sums are derived from.
extension OrderPage {
    static func write(_ attempt: Attempt, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("transaction")
        writer.string(attempt.transaction)
        writer.key("status")
        writer.text(attempt.status?.name)
        writer.key("amount")
        writer.money(attempt.amount)
        writer.key("authorized")
        writer.money(attempt.authorized)
        writer.word("method", attempt.method)
        writer.word("agreement", attempt.agreement)
        writeClaims(of: attempt.reports, to: &writer)
        writer.list("captures", attempt.captures) { writer, capture in
            write(capture.id, nil, capture.reports, to: &writer)
        }
        writer.endObject()
    }

    /// A capture, refund, dispute or reversal.
    static func write<Status>(
        _ id: String, _ transaction: String?, _ reports: Reports<Status>, of kind: String? = nil,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("id")
        writer.string(id)
        if let kind {
            writer.key("of")
            writer.string(kind)
        }
        if let transaction {
            writer.key("transaction")
            writer.string(transaction)
        }
        writer.key("status")
        writer.text(reports.status?.name)
        writer.key("amount")
        writer.money(reports.amount)
        writeClaims(of: reports, to: &writer)
        writer.endObject()
    }

    static func write(_ refund: UnclearRefund, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.string(refund.id)
        writer.key("status")
        writer.string(refund.status.name)
        writer.key("amount")
        writer.money(refund.claim.amount)
        writer.key("amountRefunded")
        writer.money(refund.claim.refunded)
        writer.endObject()
    }

    /// Why, and with which amounts where one status was told with several.
    private static func writeClaims<Status>(
        of reports: Reports<Status>, to writer: inout JSONWriter
    ) {
        if let reason = reports.reason {
            writer.key("reason")
            writer.reason(reason)
        }
        let claims = Set(
            reports.entries.compactMap(\.amounts).filter { !$0.isOneAmount }.flatMap(\.all))
        if !claims.isEmpty { writer.list("claims", claims.sorted()) { $0.money($1) } }
    }
}
