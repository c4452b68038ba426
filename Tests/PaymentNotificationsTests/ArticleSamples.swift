import Foundation
import PaymentNotifications

/// The code of the articles in PaymentNotifications.docc, which ``ArticleSamplesTests`` compares
/// with this file and runs.
struct ArticleSamples {
    var order = Order()
    var expected: Money?
    /// The disk is full.
    var isFull = false
    private(set) var logged: [String] = []
    private(set) var hasDelivered = false
    private(set) var orders: [String: [UInt8]] = [:]
    private var ids: Set<String> = []
    private var names: [String: String] = [:]

    struct DiskFull: Error {}

    static func antom(clientID: String, publicKey: String) throws -> Antom {
        let antom = try Antom(
            settings: .init(clientID: clientID, keys: [.init(version: 1, text: publicKey)]))
        return antom
    }

    static func provider(named name: String, secret: String) throws -> any Provider {
        let provider = try ProviderRegistry.provider(named: name, settings: ["secrets": [secret]])
        return provider
    }

    static func request(
        path: String, headers: [(name: String, value: String)], body: [UInt8]
    ) -> SignedRequest {
        let request = SignedRequest(
            method: "POST", path: path, headers: headers, body: body,
            received: Timestamp(secondsSince1970: Date().timeIntervalSince1970))
        return request
    }

    mutating func answer(to request: SignedRequest, by antom: Antom) async -> Answer {
        do {
            for notification in try await antom.receive(request) {
                order.apply(notification)
            }
            try await store(order)
            return antom.answer(.accepted)
        } catch let refusal as Refusal {
            log("refused: \(refusal.reason): \(refusal.detail)")
            return antom.answer(.refused(refusal))
        } catch {
            // It is not stored, so the system has to send it again.
            return antom.answer(.unavailable)
        }
    }

    mutating func act() {
        let summary = order.summary
        if summary.status == .paid, summary.captured == expected {
            deliver()
        }
    }

    mutating func keep(_ notification: PaymentNotification) {
        guard isNew(notification.id) else { return }
        let name = notification.reference ?? orderName(of: notification.transaction)
        var order = stored(name).flatMap(Order.init(encoded:)) ?? Order()
        order.apply(notification)
        save(order.encoded(), name, notification.id)
    }

    private func store(_ order: Order) async throws {
        if isFull { throw DiskFull() }
    }

    private mutating func log(_ line: String) { logged.append(line) }
    private mutating func deliver() { hasDelivered = true }
    private func isNew(_ id: String) -> Bool { !ids.contains(id) }
    private func stored(_ name: String) -> [UInt8]? { orders[name] }

    private func orderName(of transaction: String?) -> String {
        names[transaction ?? ""] ?? "~\(transaction ?? "")"
    }

    private mutating func save(_ facts: [UInt8], _ name: String, _ id: String) {
        orders[name] = facts
        ids.insert(id)
        for id in Order(encoded: facts)?.ids ?? [] { names[id] = name }
    }
}
