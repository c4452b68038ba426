import Payments
import Platform
import Providers
import ServerConfiguration
import Simulator
import Synchronization

/// One endpoint's provider: the sender of its notifications and the responder to inquiries.
package struct SimulatedEndpoint: Sendable {
    package let name: String
    package let sender: SimulationSender
    /// Nil if the endpoint has no `inquiry`.
    package let responder: (any Responder)?

    /// - Throws: ``SimulationError`` if the sandbox has no keys of the endpoint's provider.
    package init(_ configuration: Configuration, endpoint name: String) throws(SimulationError) {
        self.name = name
        sender = try SimulationSender(configuration, endpoint: name)
        guard sender.endpoint.inquiry != nil else {
            responder = nil
            return
        }
        do throws(SettingsError) {
            responder = try sender.descriptor.inquiry?.makeResponder(
                SandboxKeys.senderSettings(for: sender.endpoint, folder: configuration.folder))
        } catch {
            throw .noSenderKeys(endpoint: name, message: error.message)
        }
    }
}

/// The simulated providers' payments: the events of every order, with the number of those that
/// have happened.
package final class PaymentLog: Sendable {
    private struct Order {
        var life: SampleLife
        /// Number of the life's events that have happened; nil for all.
        var happened: Int?

        var known: SampleLife { happened.map { life.prefix($0) } ?? life }
    }

    private struct Key: Hashable {
        let endpoint: String
        let name: String
    }

    private struct State {
        var orders: [Key: Order] = [:]
        var references: [Key: String] = [:]
        /// In the order of creation.
        var keys: [Key] = []
        /// Times of the recent questions, by subject.
        var asked: [String: [Int64]] = [:]
    }

    /// Maximum number of subjects kept for rate limits; above it all are dropped.
    private static let subjectsMax = 200_000

    private let state = Mutex(State())

    package init() {}

    /// Adds an order without events so far.
    func open(_ life: SampleLife, endpoint: String) {
        state.withLock { state in
            Self.insert(Order(life: life, happened: 0), endpoint, &state)
        }
    }

    /// Records that the first `count` events have happened.
    func advance(_ reference: String, endpoint: String, to count: Int) {
        state.withLock { state in
            let key = Key(endpoint: endpoint, name: reference)
            guard let happened = state.orders[key]?.happened else { return }
            state.orders[key]?.happened = max(happened, count)
        }
    }

    /// Adds the events that another process sends, each once.
    func register(_ life: SampleLife, endpoint: String) {
        state.withLock { state in
            let key = Key(endpoint: endpoint, name: life.reference)
            var order = state.orders[key] ?? Order(life: SampleLife(reference: life.reference))
            for event in life.events where !order.life.events.contains(event) {
                order.life.append(event)
            }
            order.happened = nil
            Self.insert(order, endpoint, &state)
        }
    }

    private static func insert(_ order: Order, _ endpoint: String, _ state: inout State) {
        let key = Key(endpoint: endpoint, name: order.life.reference)
        if state.orders.updateValue(order, forKey: key) == nil { state.keys.append(key) }
        for event in order.life.events {
            for id in [event.transaction, event.actionID] {
                state.references[Key(endpoint: endpoint, name: id)] = order.life.reference
            }
        }
    }

    /// The events so far of the order with this name; nil if there are none.
    func find(_ endpoint: String, _ name: InquiryQuestion.Name, _ value: String) -> SampleLife? {
        state.withLock { state in
            var reference = value
            if name == .transaction {
                guard let found = state.references[Key(endpoint: endpoint, name: value)] else {
                    return nil
                }
                reference = found
            }
            let life = state.orders[Key(endpoint: endpoint, name: reference)]?.known
            return life?.events.isEmpty == false ? life : nil
        }
    }

    /// Whether a question exceeds the limit.
    ///
    /// - Parameters:
    ///   - now: Microseconds of a monotonic clock.
    ///   - speed: Factor by which the limit's clock is accelerated.
    func exceeds(
        _ limit: ResponderLimit, _ subject: String, now: Int64, speed: Double
    ) -> Bool {
        let period = Int64(limit.seconds * 1_000_000 / speed)
        return state.withLock { state in
            let recent = (state.asked[subject] ?? []).filter { now - $0 < period }
            guard recent.count < limit.questions else { return true }
            if state.asked.count > Self.subjectsMax { state.asked = [:] }
            state.asked[subject] = recent + [now]
            return false
        }
    }

    /// All events of an endpoint that have happened.
    func events(of endpoint: String) -> [SampleEvent] {
        state.withLock { state in
            state.keys.filter { $0.endpoint == endpoint }
                .flatMap { state.orders[$0]?.known.events ?? [] }
        }
    }

    package var count: Int { state.withLock { $0.keys.count } }

    /// At most `limit` orders from index `first`: the endpoint and the events so far.
    package func orders(from first: Int, limit: Int) -> [(endpoint: String, life: SampleLife)] {
        state.withLock { state in
            state.keys.dropFirst(first).prefix(limit).compactMap { key in
                state.orders[key].map { (key.endpoint, $0.known) }
            }
        }
    }
}
