import Delivery
import HTTP
import Ledger
import Payments
import Records
import Store

/// Erases the personal parts of an order's records, or of old records. Sums, statuses and
/// de-duplication stay as they are.
///
/// | path | effect |
/// |---|---|
/// | `POST /orders/{endpoint}/{reference}/erase` | erases those of one order |
/// | `POST /erasures` | erases those that were received before a time |
struct ErasureRoutes: Sendable {
    let acts: ActRecorder
    let feed: EventFeed
    let deliveries: DeliveryService?
    let rejections: RejectionEraser

    static let code = "erasure_invalid"

    func erase(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        _ = try QueryParameters(request, known: [])
        try name.checkReference()
        let body = try JSONBody(
            request, code: "erasure_invalid", members: ["reason", "last"])
        let reason = try body.reason()
        let answer = try await erase(
            name, reason: reason, last: try body.sequence("last"), by: caller)
        return Response.json(200, answer.json())
    }

    /// `{"olderThanDays":400,"reason":"…"}`
    func eraseOld(
        _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        try caller.checkMayErase()
        _ = try QueryParameters(request, known: [])
        let body = try JSONBody(request, code: Self.code, members: ["reason", "olderThanDays"])
        let reason = try body.reason()
        let days = try body.sequence("olderThanDays")
        guard days <= 36_500 else {
            throw Problem(400, Self.code, "`olderThanDays` must be at most 36500")
        }
        let erasure = AgeErasure(
            acts: acts, records: feed.source, keys: feed.keys, deliveries: deliveries,
            rejections: rejections)
        let answer = try await erasure.erase(
            olderThanDays: Int(days), by: caller, reason: reason)
        return Response.json(200, answer.json())
    }

    /// Throws `role_insufficient`, `order_unknown`, `order_changed`, and `not_sealed` where any of
    /// it is stored as it is.
    func erase(
        _ name: OrderName, reason: String, last: UInt64, by caller: AdminCaller
    ) async throws(Problem) -> ErasureAnswer {
        try caller.checkMayErase()
        guard let view = try await acts.found(name) else { throw Problem(.orderUnknown) }
        let found = try await records(of: view)
        guard !found.isPlain else { throw Problem(.notSealed) }
        let own = view.order.reference
        var answer = ErasureAnswer()
        answer.sequence = try await acts.record(
            .init(
                kind: .erase, caller: caller, reason: reason,
                parameters: RecordedAction.parameters(erasing: found.records)),
            endpoint: name.endpoint, reference: own ?? name.reference,
            // No act can be decided for an order without a reference.
            own == nil ? .note : .erase(last: last))
        (answer.records, answer.shared) = (found.records.count, found.shared)
        answer.unreached = Self.unreached
        await eraseBeside(names: Self.names(of: view.order), found.records, &answer)
        return answer
    }

    /// Erases what is kept beside the records. It can be repeated by erasing again.
    private func eraseBeside(
        names: [String], _ records: ErasedRecords, _ answer: inout ErasureAnswer
    ) async {
        answer.note(rejections: rejections.eraseNaming(names))
        await answer.removeAnswers(of: deliveries, about: records)
    }

    /// The places that no erasure reaches.
    static let unreached = [
        "backups and dumps from before that hold the keys, and replicas' and archived logs of a "
            + "database",
        "the rejection logs of other instances",
        "the order's own names, which stay in its records, the log and the audit trail",
        "what was delivered to your systems, exported, or read from the feed",
        "what the provider keeps",
    ]

    /// The words by which a refused request names the order.
    private static func names(of order: Order) -> [String] {
        [order.reference ?? order.leastID].compactMap(\.self) + order.aliases
    }

    // MARK: Its records

    private struct Found {
        var records: ErasedRecords
        /// Records of other orders whose request goes, too.
        var shared: [UInt64]
        /// Whether any of it is stored as it is.
        var isPlain: Bool
    }

    private func records(of view: OrderView) async throws(Problem) -> Found {
        var own = Set(view.sequences)
        // Such an order does not know all of its records.
        if view.laterCount > 0 || view.sequences.count >= StoredOrder.sequencesMax {
            own.formUnion(try await scan(for: view))
        }
        var all = own
        var shared = Set<UInt64>()
        var isPlain = false
        for sequence in own.sorted() {
            guard let record = try await page(after: sequence - 1, limit: 1).first,
                record.sequence == sequence
            else { continue }
            isPlain = isPlain || record.isPlain
            guard let part = record.event?.part else { continue }
            let holder = part.holder ?? sequence
            let events = try await page(
                after: holder - 1, limit: min(part.count, RecordPage.countMax))
            for event in events {
                guard event.sequence == holder || event.event?.part?.holder == holder else {
                    continue
                }
                if !own.contains(event.sequence) { shared.insert(event.sequence) }
                guard event.sequence == holder else { continue }
                all.insert(holder)
                isPlain = isPlain || event.isPlain
            }
        }
        return Found(records: ErasedRecords(all), shared: shared.sorted(), isPlain: isPlain)
    }

    /// Reads the whole feed for the records of an order.
    private func scan(for view: OrderView) async throws(Problem) -> Set<UInt64> {
        var found = Set<UInt64>()
        var after: UInt64 = 0
        while true {
            let records = try await page(after: after, limit: RecordPage.countMax)
            guard let last = records.last else { return found }
            for record in records where record.isAbout(view) { found.insert(record.sequence) }
            after = last.sequence
        }
    }

    private func page(
        after sequence: UInt64, limit: Int
    ) async throws(Problem) -> [RecordPage.Record] {
        do throws(ReadFailure) {
            return try await feed.page(after: sequence, limit: limit) { $0.records }
        } catch {
            throw Problem(error)
        }
    }
}

extension RecordPage.Record {
    /// Nil where it cannot be read.
    fileprivate var event: RecordedEvent? { try? RecordDecoder.event(bytes) }

    /// One that cannot be read is taken for plain: nothing is known of what it holds.
    fileprivate var isPlain: Bool { (try? PersonalPart.isPlain(bytes)) ?? true }

    fileprivate func isAbout(_ view: OrderView) -> Bool {
        guard let event, event.endpoint.isExactly(view.endpoint) else { return false }
        let names = [event.notification.reference, event.notification.transaction]
        return names.contains { name in
            guard let name else { return false }
            return view.order.reference?.isExactly(name) ?? false
                || view.order.leastID?.isExactly(name) ?? false
                || view.order.aliases.contains { $0.isExactly(name) }
        }
    }
}

extension ErasureAnswer {
    /// - Parameter count: Nil where the log could not be written.
    mutating func note(rejections count: Int?) {
        guard let count else {
            return unreached.append("the rejection log, which could not be written: erase again")
        }
        rejections = count
    }

    mutating func removeAnswers(
        of deliveries: DeliveryService?, about records: ErasedRecords
    ) async {
        do throws(DeliveryStateFailure) {
            answers = try await deliveries?.removeAnswers(about: records.ranges) ?? 0
        } catch {
            unreached.append(
                "the answers of your systems in the delivery state (\(error)): erase again")
        }
    }
}

/// Erases refused requests.
package struct RejectionEraser: Sendable {
    /// Those that have one of these words. Returns their number; nil where the log could not be
    /// written.
    package let eraseNaming: @Sendable (_ words: [String]) -> Int?
    /// Those that were received before a time, in the same way.
    package let eraseBefore: @Sendable (Timestamp) -> Int?

    package init(
        naming: @escaping @Sendable ([String]) -> Int?,
        before: @escaping @Sendable (Timestamp) -> Int?
    ) {
        (eraseNaming, eraseBefore) = (naming, before)
    }

    /// There is no log.
    package static let none = RejectionEraser(naming: { _ in 0 }, before: { _ in 0 })
}
