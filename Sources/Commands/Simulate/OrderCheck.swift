import AdminAPI
import Bytes
import Console
import Glibc
import JSON
import Payments
import Platform
import RawClient
import ServerConfiguration
import Simulator

/// The states of the orders of `ipnd send`, read from the admin listener before and after
/// sending.
final class OrderCheck {
    /// The final state of one order.
    struct Finding {
        let reference: String
        /// The shop's order, if the reference is one of its tries.
        let order: String?
        /// `is paid, 42.00 MYR captured`
        let sentence: String
        /// The order's status; nil if the order is absent.
        let status: String?
        /// Nil if nothing was expected, because the order existed before.
        let isExpected: Bool?

        /// One line of JSON.
        var json: [UInt8] {
            let line = JSONWriter.object(reserving: 128) {
                $0.member("type", "order")
                $0.member("reference", reference)
                if let order { $0.member("order", order) }
                $0.member("status", status)
                $0.member("asExpected", isExpected)
            }
            return line + [UInt8(ascii: "\n")]
        }

        /// The reference as printed: `SHOP-77-2, a try of SHOP-77,`.
        var name: String {
            let name = TextTable.printable(reference)
            guard let order else { return name }
            return "\(name), a try of \(TextTable.printable(order)),"
        }
    }

    private let admin: AdminConnection
    private let endpoint: String
    private let expected: ScenarioExpectation?
    private let clock: any Clock
    /// The newest record of each order that existed before, by reference.
    private var before: [String: UInt64] = [:]
    /// Why the admin listener is no longer asked.
    private(set) var failure: String?

    /// Maximum number of orders checked; the first ones.
    static let ordersMax = 100
    /// Timeout of an answer.
    private static let answerSecondsMax = 10
    /// How long to wait for an order that is not yet as expected: the instance asked may not be the
    /// one that received the notification.
    private static let settlingSecondsMax = 2
    private static let pauseNanoseconds: UInt64 = 50_000_000

    /// Nil if the configuration has no admin listener with a known address.
    init?(
        _ configuration: Configuration, endpoint: String, url: Destination?,
        expected: ScenarioExpectation?, clock: any Clock
    ) throws {
        guard let admin = configuration.admin else { return nil }
        if url == nil, case .ip(_, let port) = admin.address, port == 0 { return nil }
        self.admin = try AdminConnection(
            admin, url: url, exchangeSeconds: Self.answerSecondsMax)
        self.endpoint = endpoint
        self.expected = expected
        self.clock = clock
    }

    /// Notes which orders exist already, whose final state cannot be predicted.
    func note(_ references: [String]) {
        for reference in references.prefix(Self.ordersMax) where failure == nil {
            switch look(reference) {
            case .found(let order): before[reference] = order.last
            case .absent: break
            case .failed(let reason): failure = reason
            }
        }
    }

    /// The final states of the orders; empty if the server does not answer.
    func findings(_ references: [String]) -> [Finding] {
        var findings: [Finding] = []
        for reference in references.prefix(Self.ordersMax) {
            guard failure == nil, let finding = settled(reference) else { break }
            findings.append(finding)
        }
        return findings
    }

    private func settled(_ reference: String) -> Finding? {
        let end = clock.now.advanced(seconds: Self.settlingSecondsMax)
        while true {
            let order: OrderAnswer?
            switch look(reference) {
            case .found(let found): order = found
            case .absent: order = nil
            case .failed(let reason):
                failure = reason
                return nil
            }
            let finding = finding(reference, order)
            guard finding.isExpected == false, clock.now < end else { return finding }
            clock.block(until: clock.now.advanced(nanoseconds: Self.pauseNanoseconds))
        }
    }

    private func look(_ reference: String) -> AdminConnection.Look<OrderAnswer> {
        let name = PercentEncoding.encode(Array(reference.utf8))
        return admin.look("/orders/\(PercentEncoding.encode(Array(endpoint.utf8)))/\(name)")
    }

    private func finding(_ reference: String, _ order: OrderAnswer?) -> Finding {
        let isTry = order?.tries.contains { $0.utf8.elementsEqual(reference.utf8) } == true
        return Finding(
            reference: reference, order: isTry ? order?.reference : nil,
            sentence: order.map(Self.sentence) ?? "does not exist",
            status: order?.status, isExpected: isExpected(reference, order))
    }

    private func isExpected(_ reference: String, _ order: OrderAnswer?) -> Bool? {
        guard let expected else { return nil }
        guard let wanted = expected.status else {
            // Refused requests change nothing.
            return order?.last == before[reference]
        }
        if before[reference] != nil { return nil }
        // Without a refunded sum, the provider reported none.
        let refunded = order?.refunded?.minor ?? expected.refunded.minor
        return order?.status == wanted.rawValue && refunded == expected.refunded.minor
    }

    /// `is partially_refunded: captured 42.00 MYR, refunded 10.50 MYR`
    private static func sentence(_ order: OrderAnswer) -> String {
        let amounts = [("captured", order.captured), ("refunded", order.refunded)]
        let sums = amounts.compactMap { name, amount in
            let sum = OrdersCommand.money(amount, hidesZero: true)
            return sum.isEmpty ? nil : "\(name) \(sum)"
        }
        return "is \(order.status)" + (sums.isEmpty ? "" : ": \(sums.joined(separator: ", "))")
            + (order.flags.isEmpty ? "" : " (\(order.flags.joined(separator: ", ")))")
    }
}
