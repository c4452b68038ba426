import Payments

/// Money that was captured, by the hour in which its order was first reported.
package struct PaidHours: Sendable, Equatable {
    package struct Row: Sendable, Equatable {
        /// The hour's beginning, in UTC.
        package var hour: Timestamp
        package var endpoint: String
        package var orders: Int
        /// The captured sum, without what was refunded later.
        package var captured: Money

        package init(hour: Timestamp, endpoint: String, orders: Int, captured: Money) {
            self.hour = hour
            self.endpoint = endpoint
            self.orders = orders
            self.captured = captured
        }
    }

    package var rows: [Row]
    /// Whether there were more orders than are read; then the oldest are left out.
    package var isCut: Bool

    package init(rows: [Row], isCut: Bool) {
        self.rows = rows
        self.isCut = isCut
    }

    /// The newest orders that are read, so that a busy shop's page does not take seconds.
    package static let ordersMax = 100_000
    package static let hourMicroseconds: Int64 = 3_600_000_000

    /// The condition of the orders that count, in the words of both databases: money has come, no
    /// report contradicts it, and it was not a test.
    package static let condition = """
        captured > 0 AND status IN ('paid', 'partially_refunded', 'refunded', 'disputed', \
        'charged_back')
        """
    package static let testFlag = Flag.testMode.rawValue
}
