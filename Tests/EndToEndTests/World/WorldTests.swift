import Foundation
import TestSupport
import Testing

/// Providers on a fast clock: notifications are lost, late, repeated and out of order, ipnd is
/// killed from time to time, and finally every order agrees with the providers' books.
@Suite(.ownThreads, .serialized) struct WorldTests {
    /// Number of orders per endpoint.
    private static let count =
        Int(
            ProcessInfo.processInfo.environment["IPND_WORLD_ORDERS"] ?? "") ?? 250

    /// The provider's minute takes 50 ms.
    private static let clock = [
        "--rate", "1000", "--speed", "1200", "--seed", "7", "--prefix", "W", "--loss", "0.3",
        "--repeats", "0.3", "--delay", "180",
    ]

    /// Seconds instead of minutes and hours, and a pause per payment as short as the provider's
    /// minute.
    private static let schedule =
        "schedule: [2, 5, 10, 20, 40], secondsPerQuestion: 0.002, secondsPerOrder: 0.1, "
        + "breakerSeconds: 0.5, retryAfterSecondsMax: 1"

    /// By automatic inquiries alone. Only orders that look settled need a requested inquiry.
    @Test func `every order is what the books say where providers are asked`() throws {
        let world = try World(
            inquiry: Self.schedule,
            Self.clock + [
                "--count", "\(Self.count)", "--expect", "86400", "--outages", "0.05",
                "--forgeries", "0.05",
            ])
        try world.play(orders: Self.count, crashes: 3)
        try world.crash()
        try world.awaitSchedule()
        let counts = try world.counts()
        let orders = Self.count * World.players.count
        #expect(counts["begun"] as? Int == orders)
        #expect(counts["lost"] as? Int ?? 0 > Self.count)
        #expect(counts["givenUp"] as? Int == 0)
        // Without these inquiries the lost notifications would stay unknown.
        let found = try world.instance.records().count {
            ($0["event"] as? [String: Any])?["kind"] as? String == "inquiry"
        }
        #expect(found > Self.count / 2, "nothing was lost: this test sees nothing")
        // The limit of each payment was kept.
        #expect(counts["throttled"] as? Int == 0)
        #expect(counts["outages"] as? Int ?? 0 > 0 && counts["forged"] as? Int ?? 0 > 0)
        let settled = try world.askAboutWhatIsSettled()
        #expect(settled > orders / 2 && settled < orders)
        let complaints = try world.complaints()
        #expect(complaints.isEmpty, "\(complaints.count): \(complaints.prefix(5))")
        try world.expectReread()
    }

    /// Without inquiries ipnd cannot learn more, but an order that waits for a lost notification
    /// shows it. (An order that failed, or whose refund was lost, does not wait: only a
    /// reconciliation finds that.)
    @Test func `every difference is overdue where nobody is asked`() throws {
        let world = try World(
            inquiry: nil,
            Self.clock + [
                "--count", "\(Self.count / 5)", "--expect", "3", "--scenario", "paid",
                "--scenario", "authorized-captured", "--scenario", "unpaid",
                "--scenario", "abandoned",
            ])
        try world.play(orders: Self.count / 5, crashes: 1)
        // A lost authorisation before a capture makes no difference in the captured sum.
        let complaints = try world.complaints(ofSumsOnly: true)
        #expect(complaints.count > Self.count / 10)
        let admin = try world.instance.admin()
        // Orders expire one after the other, and the list lags behind the journal.
        var missing: Set<String> = []
        _ = try eventually(World.patience) {
            let overdue = try Self.overdue(admin)
            missing = Set(complaints.keys).subtracting(overdue)
            return missing.isEmpty
        }
        #expect(missing.isEmpty, "\(missing.count): \(missing.prefix(5))")
        #expect(try admin.post("/orders/antom/W-antom-1/inquire", "").status >= 400)
    }

    private static func overdue(_ admin: AdminClient) throws -> Set<String> {
        let answer = try admin.get("/orders?flag=overdue", accept: "application/x-ndjson")
        guard answer.status == 200 else { return [] }
        return Set(
            try answer.body.split(separator: "\n").compactMap { line in
                let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
                let order = value as? [String: Any]
                return (order?["reference"] as? String).map {
                    "\(order?["endpoint"] as? String ?? "")/\($0)"
                }
            })
    }
}
