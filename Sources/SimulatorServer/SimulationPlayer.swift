import JSON
import Payments
import Platform
import Providers
import RawClient
import ServerConfiguration
import Simulator

/// Plays the providers' side of many orders: adds their events to the payment log, and sends the
/// notifications that are not lost, each at its time.
///
/// A pool of threads takes due work from one queue. Failed notifications are queued again, by the
/// provider's retry schedule on its accelerated clock.
package final class SimulationPlayer: Sendable {
    private enum Work {
        case begin(endpoint: Int, number: Int)
        case happen(endpoint: Int, reference: String, count: Int)
        case send(Message)
    }

    /// One copy of a notification.
    private struct Message {
        let endpoint: Int
        let reference: String
        /// Number of events of the order that have happened when it is sent.
        let count: Int
        let request: [UInt8]
        /// Whether it is retried until it is accepted; only the first of several copies is.
        let isRetried: Bool
        var attempt = 1
    }

    private struct State {
        var queue = TimedQueue<MonotonicTime, Work>()
        /// Number of threads at work, which may add more.
        var busy = 0
        var isStopped = false
    }

    private let settings: SimulationSettings
    private let endpoints: [SimulatedEndpoint]
    private let places: [SimulationDestination]
    private let scenarios: [[Scenario]]
    private let schedules: [RetrySchedule]
    private let log: PaymentLog
    private let tally: SimulationCounters
    private let shop: SimulatedShop?
    private let clock: any Clock
    private let state: Monitor<State>

    /// Pause before a registration is tried again.
    private static let pauseNanoseconds: UInt64 = 200_000_000

    /// - Parameters:
    ///   - places: The destination of each endpoint's notifications, all on one server.
    ///   - shop: Registers each order before it begins; nil registers none.
    /// - Throws: `unsupported` if a provider supports none of the scenarios.
    package init(
        _ settings: SimulationSettings, endpoints: [SimulatedEndpoint],
        places: [SimulationDestination],
        log: PaymentLog, tally: SimulationCounters, shop: SimulatedShop?, clock: any Clock
    ) throws(SimulationError) {
        self.settings = settings
        self.endpoints = endpoints
        self.places = places
        self.log = log
        self.tally = tally
        self.shop = shop
        self.clock = clock
        state = Monitor(State(), clock: clock)
        schedules = endpoints.map { RetrySchedule($0.sender.sender) }
        var scenarios: [[Scenario]] = []
        for (endpoint, place) in zip(endpoints, places) {
            let possible = settings.scenarios.map { $0.adapted(to: endpoint.sender.sender) }
                .filter { endpoint.canSend($0, to: place) }
            guard !possible.isEmpty else {
                throw .unsupported(
                    settings.scenarios.first?.steps.first?.type ?? .paid,
                    system: endpoint.sender.descriptor.title, because: nil)
            }
            scenarios.append(possible)
        }
        self.scenarios = scenarios
    }

    /// Returns when everything is sent, or after ``stop()``.
    package func run() {
        guard !endpoints.isEmpty, settings.count > 0 else {
            tally.update { $0.isOver = true }
            return
        }
        let start = clock.now
        state.withLock { state in
            for number in 1...settings.count {
                for endpoint in endpoints.indices {
                    let place = Double((number - 1) * endpoints.count + endpoint)
                    state.queue.add(
                        .begin(endpoint: endpoint, number: number),
                        at: start.advanced(nanoseconds: UInt64(place / settings.rate * 1e9)))
                }
            }
        }
        let threads = (0..<settings.concurrency).map { number in
            PlatformThread(name: "simulate-\(number)") { [self] in work() }
        }
        for thread in threads { thread.join() }
        tally.update { $0.isOver = true }
    }

    /// Ends the simulation after the requests in flight.
    package func stop() {
        state.withLock { $0.isStopped = true }
        state.wakeAll()
    }

    // MARK: The threads

    private func work() {
        let client = RawClient(places[0].destination)
        let registrar = shop.map { ShopConnection($0, clock) }
        while let work = next() {
            switch work {
            case .begin(let endpoint, let number): begin(endpoint, number, registrar)
            case .happen(let endpoint, let reference, let count):
                log.advance(reference, endpoint: endpoints[endpoint].name, to: count)
            case .send(let message): send(message, by: client)
            }
            state.withLock { $0.busy -= 1 }
            state.wakeAll()
        }
    }

    private func next() -> Work? {
        state.wait { state in
            if state.isStopped { return .go(nil) }
            if let work = state.queue.take(at: clock.now) {
                state.busy += 1
                return .go(work)
            }
            if state.queue.isEmpty, state.busy == 0 { return .go(nil) }
            return .wait(until: state.queue.first?.time ?? .never)
        }
    }

    private func add(_ work: Work, afterSeconds seconds: Double) {
        let nanoseconds = UInt64(max(0, seconds / settings.speed) * 1e9)
        let time = clock.now.advanced(nanoseconds: nanoseconds)
        state.withLock { $0.queue.add(work, at: time) }
    }

    // MARK: Events and notifications

    private func begin(_ index: Int, _ number: Int, _ registrar: ShopConnection?) {
        let endpoint = endpoints[index]
        let drawn = DrawnOrder(
            settings, from: scenarios[index], endpoint: index, name: endpoint.name,
            number: number)
        if let registrar, let seconds = settings.expectSeconds {
            switch registrar.register(drawn, endpoint: endpoint.name, seconds: seconds) {
            case .registered: tally.update { $0.expected += 1 }
            case .refused: tally.update { $0.notExpected += 1 }
            case .unreachable:
                let again = clock.now.advanced(nanoseconds: Self.pauseNanoseconds)
                state.withLock {
                    $0.queue.add(.begin(endpoint: index, number: number), at: again)
                }
                return
            }
        }
        tally.update { $0.begun += 1 }
        let order = SimulationOrder.fresh(
            count: 1, reference: drawn.reference, transaction: nil, money: drawn.money,
            microseconds: clock.wallMicroseconds)
        guard
            let plan = try? SimulationPlan(
                drawn.scenario, of: order, by: endpoint.sender, path: places[index].signedPath,
                target: places[index].target), let life = plan.lives.first
        else { return }
        log.open(life, endpoint: endpoint.name)
        let deliveries = plan.stages.joined().sorted { $0.event.number < $1.event.number }
        for (place, delivery) in deliveries.enumerated() {
            schedule(delivery, place, of: life, drawn, index)
        }
    }

    private func schedule(
        _ delivery: SimulationDelivery, _ place: Int, of life: SampleLife, _ drawn: DrawnOrder,
        _ index: Int
    ) {
        let endpoint = endpoints[index]
        let happens = Double(place) * settings.stepSeconds
        add(
            .happen(endpoint: index, reference: life.reference, count: place + 1),
            afterSeconds: happens)
        let transmission = drawn.transmissions[delivery.event.number - 1]
        let isReplaceable =
            endpoint.responder.map { $0.listsEvents || $0.reports(delivery.event, of: life) }
            ?? false
        let isLost = transmission.isLost && isReplaceable
        tally.update {
            $0.notifications += 1
            $0.lost += isLost ? 1 : 0
        }
        if isLost { return }
        let request = RequestBytes.encode(
            delivery.outbound, host: places[index].destination.authority)
        for (copy, delay) in transmission.delays.enumerated() {
            add(
                .send(
                    Message(
                        endpoint: index, reference: life.reference, count: place + 1,
                        request: request, isRetried: copy == 0)),
                afterSeconds: happens + delay)
        }
    }

    private func send(_ message: Message, by client: RawClient) {
        let endpoint = endpoints[message.endpoint]
        // An event is in the log before its notification is sent.
        log.advance(message.reference, endpoint: endpoint.name, to: message.count)
        let result: Result<ReceivedResponse, ClientError>
        do throws(ClientError) {
            result = .success(try client.exchange(message.request))
        } catch {
            result = .failure(error)
        }
        let isAccepted = endpoint.sender.sender.judge(result) == .accepted
        let pause =
            isAccepted || !message.isRetried
            ? nil : schedules[message.endpoint].pause(after: message.attempt)
        tally.update {
            $0.requests += 1
            $0.accepted += isAccepted ? 1 : 0
            $0.retries += message.attempt > 1 ? 1 : 0
            $0.givenUp += !isAccepted && message.isRetried && pause == nil ? 1 : 0
            $0.answers.add(result)
        }
        guard let pause else { return }
        var again = message
        again.attempt += 1
        let (seconds, attoseconds) = pause.components
        add(.send(again), afterSeconds: Double(seconds) + Double(attoseconds) / 1e18)
    }
}

extension SimulatedEndpoint {
    /// Whether the provider has a notification for every event of a scenario.
    fileprivate func canSend(_ scenario: Scenario, to place: SimulationDestination) -> Bool {
        guard let currency = Currency("EUR") else { return false }
        let order = SimulationOrder.fresh(
            count: 1, reference: "R", transaction: nil,
            money: Money(minor: 400, currency: currency),
            microseconds: 0)
        return (try? SimulationPlan(scenario, of: order, by: sender, path: place.signedPath)) != nil
    }
}
