import JSON
import Payments
import Platform

extension DeliveryWorker {
    /// Whether this instance serves the destination.
    package var isServing: Bool { plan != nil }

    /// Whether nothing is sent until it is resumed.
    package var isPaused: Bool { plan.map { $0.pause != nil } ?? false }

    /// Tries these dead or waiting events again now; returns how many.
    package func retry(_ sequences: [UInt64]) -> Int {
        let count = plan?.retry(sequences, now: now()) ?? 0
        touch()
        return count
    }

    /// Gives these dead events up; what is behind them goes on. Returns how many.
    package func resolve(_ sequences: [UInt64]) -> Int {
        let count = plan?.resolve(sequences) ?? 0
        touch()
        return count
    }

    /// Sends nothing until `resume`.
    package func pause() {
        plan?.stop()
        touch()
    }

    /// Sends again, whatever stopped it.
    package func resume() {
        plan?.resume()
        touch()
    }

    /// Carries out one act; returns how many events it has changed.
    package func perform(_ act: DeliveryAct) -> Int {
        switch act {
        case .pause: pause()
        case .resume: resume()
        case .retry(let sequences): return retry(sequences)
        case .resolve(let sequences): return resolve(sequences)
        }
        return 0
    }

    /// The state says that the lease may be lost, or that there are commands from other instances.
    /// Each is answered by the write that makes its change durable.
    func meetChange() async {
        guard plan != nil else { return }
        guard isLeased else { return loseLease() }
        let generation = generation
        let commands = (try? await state.commands(for: destination.name)) ?? []
        guard generation == self.generation else { return }
        for command in commands where answered.insert(command.id).inserted {
            answers[command.id] = perform(command.act)
        }
    }

    /// Writes what has happened so far, so that lists show it.
    package func settle() async { if isTouched { await write() } }

    private func touch() {
        isTouched = true
        nextWrite = 0
        wake()
    }

    /// Sends a signed example and returns what came of it.
    package func test() async -> AttemptOutcome {
        let now = Timestamp(microseconds: now())
        // An instance that does not deliver to it can try it, too.
        let store = store.isEmpty ? source.identity ?? "" : store
        return await transport.attempt(
            DeliveryMessage(
                destination: destination.name, id: "\(store)-test-\(now.microseconds)",
                type: "test", timestamp: now, sequence: 0, endpoint: "example",
                reference: "EXAMPLE-1", record: Self.example(now), attempt: 1))
    }

    private static func example(_ now: Timestamp) -> [UInt8] {
        Array(
            (#"{"schema":1,"sequence":0,"received":"\#(now.rfc3339)","endpoint":"example","#
                + #""provider":"example","outcome":"recorded","flags":[],"#
                + #""event":{"id":"example","kind":"payment","status":"paid"},"#
                + #""order":{"reference":"EXAMPLE-1","status":"paid","#
                + #""amount":{"minor":4200,"currency":"EUR"}}}"#).utf8)
    }

    /// The state of the destination.
    package func status() -> DestinationStatus {
        let figures = plan?.figures
        let last = commitFeed.durableSequence
        let unread = figures.map { last - min(last, $0.position) } ?? 0
        let age = figures?.oldestReceived.map { max(0, now() - $0) } ?? 0
        return DestinationStatus(
            name: destination.name, isServed: plan != nil, figures: figures, counters: counters,
            latencyMicroseconds: latency.read(), lag: unread + UInt64(figures?.waiting ?? 0),
            oldestSeconds: Double(age) / 1e6, trouble: stateTrouble ?? readTrouble)
    }
}
