import AdminAPI
import Payments
import Store

/// The figures of the last 24 hours, as small charts and a table.
struct DayFigures {
    let history: FigureHistory?
    /// Hours since 1970.
    let now: Int

    static let hours = 24

    /// - Parameter paid: Nil while the lists cannot be read.
    func values(_ paid: PaidHours?) -> PageValues {
        let first = now - Self.hours + 1
        var orders = [Int](repeating: 0, count: Self.hours)
        var sums: [String: (orders: Int, endpoint: String, captured: Money)] = [:]
        for row in paid?.rows ?? [] {
            let hour = Int(row.hour.microseconds / PaidHours.hourMicroseconds)
            guard (first...now).contains(hour) else { continue }
            orders[hour - first] += row.orders
            let key = "\(row.endpoint) \(row.captured.currency.code)"
            let before = sums[key]
            let (minor, isTooLarge) = row.captured.minor.addingReportingOverflow(
                before?.captured.minor ?? 0)
            guard !isTooLarge else { continue }
            let total = Money(minor: minor, currency: row.captured.currency)
            sums[key] = ((before?.orders ?? 0) + row.orders, row.endpoint, total)
        }
        let counted = history?.last(Self.hours) ?? []
        var charts = [chart("Paid orders", "paid", orders, "")]
        if history != nil {
            charts.append(
                chart("Refused requests", "refused", counted.map(\.refused), "rejections"))
            charts.append(
                chart("Failed deliveries", "failed", counted.map(\.failed), "destinations"))
        }
        return [
            "charts": charts,
            "paid": sums.sorted { $0.key < $1.key }.map { _, sum in
                [
                    "endpoint": sum.endpoint, "orders": PageText.count(sum.orders),
                    "captured": PageText.money(sum.captured),
                ] as PageValues
            }, "hasPaid": !sums.isEmpty, "isCut": paid?.isCut ?? false,
            "isMissing": paid == nil, "cut": PageText.count(PaidHours.ordersMax),
        ]
    }

    /// One chart: a bar for each hour.
    private func chart(
        _ name: String, _ id: String, _ counts: [Int], _ screen: String
    ) -> PageValues {
        let top = max(counts.max() ?? 0, 1)
        let total = counts.reduce(0, +)
        let bars = counts.enumerated().map { index, count -> PageValues in
            let height = count == 0 ? 0 : max(2, 40 * Double(count) / Double(top))
            let hour = (now - counts.count + 1 + index) % 24
            return [
                "x": "\(index * 10)", "y": PageText.decimal(42 - height),
                "height": PageText.decimal(height),
                "title": "\(hour < 10 ? "0" : "")\(hour):00 UTC: \(PageText.count(count))",
            ]
        }
        return [
            "name": name, "id": id, "total": PageText.count(total), "bars": bars,
            "path": screen, "width": "\(Self.hours * 10)",
        ]
    }
}
