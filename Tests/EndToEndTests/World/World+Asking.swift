import Foundation
import TestSupport
import Testing

extension World {
    /// Waits until everything is delivered, and kills ipnd at equal intervals meanwhile.
    ///
    /// - Parameter orders: Number of orders per endpoint.
    func play(orders: Int, crashes: Int) throws {
        let step = orders * Self.players.count / (crashes + 1)
        var done = 0
        let isOver = try eventually(Self.patience) {
            let (isOver, begun) = try progress()
            if done < crashes, begun >= step * (done + 1) {
                done += 1
                try crash()
            }
            return isOver
        }
        #expect(isOver && done == crashes, "\(done) crashes")
    }

    /// The orders that differ from the providers' books.
    ///
    /// - Parameter ofSumsOnly: Compare only the status, the captured and the refunded sum.
    func complaints(ofSumsOnly: Bool = false) throws -> [String: String] {
        let truths = try truths()
        let found = Box<[String: String]>([:])
        try inParallel(truths) { admin, truth in
            let path = "\(truth.endpoint)/\(truth.reference)"
            let answer = try admin.get("/orders/\(path)")
            let complaint =
                answer.status == 200
                ? truth.complaint(about: try answer.object(), ofSumsOnly: ofSumsOnly)
                : truth.attempts.isEmpty ? nil : "\(path) is not known"
            if let complaint { found.update { $0[path] = complaint } }
        }
        return found.get()
    }

    /// Waits until ipnd's automatic inquiries leave no open order that is settled in the books. No
    /// other inquiries are sent.
    func awaitSchedule() throws {
        let truths = Dictionary(
            uniqueKeysWithValues: try truths().map { ("\($0.endpoint)/\($0.reference)", $0) })
        let admin = try instance.admin()
        var wrong: [String] = []
        let isDone = try eventually(Self.patience) {
            // The list is unavailable until the index has caught up.
            guard let open = try openOrders(admin) else { return false }
            wrong = open.compactMap { order in
                truths[Self.place(order)]?.complaint(about: order, ofSumsOnly: true)
            }
            return wrong.isEmpty
        }
        #expect(isDone, "\(wrong.count) open orders: \(wrong.prefix(5))")
    }

    private func openOrders(_ admin: AdminClient) throws -> [[String: Any]]? {
        let answer = try admin.get(
            "/orders?status=pending,authorized,review", accept: "application/x-ndjson")
        if answer.status == 503 { return nil }
        try #require(answer.status == 200, "\(answer.body)")
        return try answer.body.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    private static func place(_ order: [String: Any]) -> String {
        "\(order["endpoint"] as? String ?? "")/\(order["reference"] as? String ?? "")"
    }

    /// The wait is for thousands of inquiries, not for one.
    static let patience = 600.0

    /// Inquires about the orders that ipnd considers settled, which the schedule leaves out: a
    /// refund's notification may be lost. Returns their number.
    func askAboutWhatIsSettled() throws -> Int {
        var list: [[String: Any]]?
        try #require(
            try eventually {
                list = try openOrders(instance.admin()); return list != nil
            })
        let open = Set((list ?? []).map(Self.place))
        let settled = try truths().filter { !open.contains("\($0.endpoint)/\($0.reference)") }
        var left = settled
        let isDone = try eventually(Self.patience) {
            let again = Box<[WorldTruth]>([])
            try inParallel(left) { admin, truth in
                let path = "/orders/\(truth.endpoint)/\(truth.reference)"
                let answer = try admin.post("\(path)/inquire", "")
                let verdict = answer.status == 200 ? try answer.object()["verdict"] : nil
                // An order with several payments takes several inquiries, one of which may have met
                // an outage.
                let complaint = truth.complaint(about: try admin.get(path).object())
                if verdict as? String != "answered" || complaint != nil {
                    again.update { $0.append(truth) }
                }
            }
            left = again.get()
            return left.isEmpty
        }
        #expect(isDone, "\(left.count) orders without an answer: \(left.prefix(5))")
        return settled.count
    }

    /// Stops ipnd. Its records are read again by the same rules, and nothing differs.
    func expectReread() throws {
        instance.stop()
        let reread = try run(
            Binary.ipnd,
            ["journal", "reread", instance.journal, "--config", instance.configurationFile])
        #expect(reread.status == 0, "\(reread.output.suffix(2000))\(reread.errors)")
        #expect(reread.output.contains(", 0 interpreted differently"))
    }

    /// Several concurrent connections, each with its share.
    private func inParallel(
        _ truths: [WorldTruth],
        _ body: @escaping @Sendable (AdminClient, WorldTruth) throws -> Void
    ) throws {
        let lanes = 4
        let failures = Box<[String]>([])
        let group = DispatchGroup()
        for lane in 0..<lanes {
            let admin = try instance.admin()
            let part = stride(from: lane, to: truths.count, by: lanes).map { truths[$0] }
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do { for truth in part { try body(admin, truth) } } catch {
                    failures.update { $0.append("\(error)") }
                }
            }
        }
        group.wait()
        #expect(failures.get().isEmpty, "\(failures.get())")
    }
}
