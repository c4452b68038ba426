import Foundation
import TestSupport
import Testing

extension World {
    /// Waits until everything is told, and kills ipnd at equal distances on the way.
    ///
    /// - Parameter orders: Of each endpoint.
    func play(orders: Int, crashes: Int) throws {
        let step = orders * Self.endpoints.count / (crashes + 1)
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

    /// Every order that is not as the books have it.
    ///
    /// - Parameter ofSumsOnly: Only the status, and what was taken and went back.
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

    /// Waits until what ipnd has asked by itself leaves no open order that is settled in the books.
    /// Nobody else asks.
    func awaitSchedule() throws {
        let truths = Dictionary(
            uniqueKeysWithValues: try truths().map { ("\($0.endpoint)/\($0.reference)", $0) })
        let admin = try instance.admin()
        var wrong: [String] = []
        let isDone = try eventually(Self.patience) {
            // Until the index has caught up there is no list.
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

    /// What is waited for are thousands of questions, not one.
    static let patience = 600.0

    /// Asks about the orders that ipnd takes for settled, which no schedule asks about: a refund's
    /// notification may be lost. How many these are.
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
                // An order with several payments takes several questions, and one of them may have
                // fallen into an outage.
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

    /// Some connections at once, each with its share.
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
