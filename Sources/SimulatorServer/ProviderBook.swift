import Configuration
import Payments
import Platform
import Providers
import Simulator
import Synchronization

/// One endpoint's provider, both its sides played.
package struct PlayedEndpoint: Sendable {
    package let name: String
    package let sender: SimulationSender
    /// Nil where the endpoint has no `inquiry`: then it cannot be asked.
    package let responder: (any Responder)?

    /// - Throws: ``SimulationError`` for an endpoint whose provider's keys are not here.
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

/// The books of the providers that are played: every order with its life, as far as it has
/// happened.
package final class ProviderBook: Sendable {
    private struct Order {
        var life: SampleLife
        /// How many of the life's events have happened; nil for all.
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
        /// In the order in which they were opened.
        var keys: [Key] = []
        /// When each subject was asked about lately.
        var asked: [String: [Int64]] = [:]
    }

    /// Subjects whose questions are remembered; then all are forgotten, and each may be asked about
    /// again.
    private static let subjectsMax = 200_000

    private let state = Mutex(State())

    package init() {}

    /// Opens an order of which nothing has happened yet.
    func open(_ life: SampleLife, endpoint: String) {
        state.withLock { state in
            Self.insert(Order(life: life, happened: 0), endpoint, &state)
        }
    }

    /// The first `count` events have happened.
    func advance(_ reference: String, endpoint: String, to count: Int) {
        state.withLock { state in
            let key = Key(endpoint: endpoint, name: reference)
            guard let happened = state.orders[key]?.happened else { return }
            state.orders[key]?.happened = max(happened, count)
        }
    }

    /// Takes what somebody else lets happen, each event once.
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
            state.references[Key(endpoint: endpoint, name: event.transaction)] =
                order.life.reference
        }
    }

    /// The order of this name as far as it has happened; nil while nothing has.
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

    /// Whether a question is one too many.
    ///
    /// - Parameters:
    ///   - now: In microseconds, of a clock that only rises.
    ///   - speed: How many times as fast as time the limit's period passes.
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

    package var count: Int { state.withLock { $0.keys.count } }

    /// Some of the orders, from the `first` on: the endpoint and the life as far as it has
    /// happened.
    package func orders(from first: Int, limit: Int) -> [(endpoint: String, life: SampleLife)] {
        state.withLock { state in
            state.keys.dropFirst(first).prefix(limit).compactMap { key in
                state.orders[key].map { (key.endpoint, $0.known) }
            }
        }
    }
}
