import Platform
import Store

/// All destinations of an instance, and the hands on them.
package final class DeliveryService: Sendable {
    private let workers: [DeliveryWorker]
    private let state: any DeliveryState
    private let commitFeed: CommitFeed
    private let clock: any Clock
    private let tasks: [Task<Void, Never>]

    /// Delivers from now on.
    ///
    /// - Parameters:
    ///   - progress: is told how far each destination was told.
    ///   - report: gets what a person should hear of a destination.
    package init(
        _ destinations: [Destination], source: any RecordSource, commitFeed: CommitFeed,
        state: any DeliveryState, transport: any DeliveryTransport,
        limits: DeliveryLimits = .init(), progress: DeliveryProgress = .init([]),
        clock: any Clock,
        report: @escaping @Sendable (_ destination: String, DeliveryNotice) -> Void
    ) {
        self.state = state
        self.commitFeed = commitFeed
        self.clock = clock
        workers = destinations.map { destination in
            DeliveryWorker(
                destination, source: source, commitFeed: commitFeed, state: state,
                transport: transport, limits: limits, progress: progress,
                clock: clock
            ) { report(destination.name, $0) }
        }
        tasks = workers.map { worker in
            Task.detached(executorPreference: BackgroundExecutor.shared) { await worker.run() }
        }
    }

    /// Sends nothing more, waits a while for the answers that are due, and writes the state.
    package func stop() async {
        for worker in workers { await worker.stop() }
        for task in tasks { await task.value }
        await state.close()
    }

    /// How the destinations stand, in the order of the configuration. Of one that another instance
    /// serves there are no figures.
    package func statuses() async -> [DestinationStatus] {
        var statuses: [DestinationStatus] = []
        for worker in workers { statuses.append(await worker.status()) }
        return statuses
    }

    /// The same, with what the state tells of those that other instances serve.
    package func standings() async -> [DestinationStatus] {
        var statuses = await statuses()
        guard !statuses.allSatisfy(\.isServed) else { return statuses }
        let last = commitFeed.durableSequence
        let standings = (try? await state.standings()) ?? []
        for (index, status) in statuses.enumerated() where !status.isServed {
            guard let standing = standings.first(where: { $0.name == status.name }) else {
                continue
            }
            statuses[index].take(standing, last: last, now: clock.wallMicroseconds)
        }
        return statuses
    }

    // MARK: Lists

    /// Events that wait, and dead ones.
    package func deliveries(
        _ query: DeliveryQuery
    ) async throws(DeliveryCommandFailure) -> DeliveryList {
        try await settle(query.destination)
        do { return try await state.deliveries(query) } catch { throw .state(error) }
    }

    /// The last attempts of an order.
    package func attempts(
        reference: String, limit: Int
    ) async throws(DeliveryCommandFailure) -> [LoggedAttempt] {
        do { return try await state.attempts(reference: reference, limit: limit) } catch {
            throw .state(error)
        }
    }

    /// How many events `query` is about.
    package func count(_ query: DeliveryQuery) async throws(DeliveryCommandFailure) -> Int {
        try await settle(query.destination)
        do { return try await state.count(query) } catch { throw .state(error) }
    }

    /// What has happened is to be in the state before it is asked.
    private func settle(_ destination: String?) async throws(DeliveryCommandFailure) {
        if let destination { return await (try worker(destination)).settle() }
        for worker in workers { await worker.settle() }
    }

    // MARK: Commands

    /// Tries the events of `query` again now; returns how many there were. Those that are in flight
    /// or not yet due because of another one are left alone.
    package func retry(_ query: DeliveryQuery) async throws(DeliveryCommandFailure) -> Int {
        try await act(query) { .retry($0) }
    }

    /// Gives the dead events of `query` up, so that what is behind them goes on; returns how many.
    package func resolve(_ query: DeliveryQuery) async throws(DeliveryCommandFailure) -> Int {
        try await act(query) { .resolve($0) }
    }

    private func act(
        _ query: DeliveryQuery, _ act: ([UInt64]) -> DeliveryAct
    ) async throws(DeliveryCommandFailure) -> Int {
        var query = query
        query.limit = DeliveryQuery.limitMax
        query.cursor = nil
        var count = 0
        repeat {
            let page = try await deliveries(query)
            for (name, found) in Dictionary(grouping: page.deliveries, by: \.destination) {
                count += try await perform(act(found.map(\.sequence)), on: name)
            }
            query.cursor = page.cursor
        } while query.cursor != nil
        return count
    }

    package func pause(_ destination: String) async throws(DeliveryCommandFailure) {
        _ = try await perform(.pause, on: destination)
    }

    package func resume(_ destination: String) async throws(DeliveryCommandFailure) {
        _ = try await perform(.resume, on: destination)
    }

    /// Sends a signed example, also while the destination is paused.
    package func test(
        _ destination: String
    ) async throws(DeliveryCommandFailure) -> AttemptOutcome {
        await (try worker(destination)).test()
    }

    private func worker(_ name: String) throws(DeliveryCommandFailure) -> DeliveryWorker {
        guard let worker = workers.first(where: { $0.destination.name == name }) else {
            throw .unknownDestination(name)
        }
        return worker
    }

    /// Here, or at the instance that serves the destination.
    private func perform(
        _ act: DeliveryAct, on name: String
    ) async throws(DeliveryCommandFailure) -> Int {
        let worker = try worker(name)
        if await worker.isServing { return await worker.perform(act) }
        let changed: Int?
        do throws(DeliveryStateFailure) { changed = try await state.ask(act, of: name) } catch {
            throw .state(error)
        }
        guard let changed else { throw .notServed(name) }
        return changed
    }
}

/// Why a command was not carried out.
package enum DeliveryCommandFailure: Error, Sendable, Equatable {
    /// No destination of the configuration has this name.
    case unknownDestination(String)
    /// Another instance serves the destination, or none yet.
    case notServed(String)
    case state(DeliveryStateFailure)
}
