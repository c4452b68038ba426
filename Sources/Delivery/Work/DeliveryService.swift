import Platform
import Store

/// Delivers to all destinations of an instance, and carries out commands.
package final class DeliveryService: Sendable {
    private let workers: [DeliveryWorker]
    let state: any DeliveryState
    let commitFeed: CommitFeed
    let source: any RecordSource
    private let clock: any Clock
    private let tasks: [Task<Void, Never>]

    /// Starts delivering.
    ///
    /// - Parameters:
    ///   - progress: receives the cursor of each destination.
    ///   - report: receives what an operator should see of a destination.
    package init(
        _ destinations: [DeliveryDestination], source: any RecordSource, commitFeed: CommitFeed,
        state: any DeliveryState, transport: any DeliveryTransport,
        limits: DeliveryLimits = .init(), progress: DeliveryProgress = .init([]),
        clock: any Clock,
        report: @escaping @Sendable (_ destination: String, DeliveryNotice) -> Void
    ) {
        self.state = state
        self.commitFeed = commitFeed
        self.source = source
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

    /// Returns when every new destination's place is stored, or cannot be for the time being: what
    /// is accepted afterwards is delivered, also after a crash.
    package func awaitBegin() async {
        for worker in workers { await worker.begun.wait() }
    }

    /// Sends nothing more, waits for answers for at most `drainSecondsMax`, and writes the state.
    package func stop() async {
        for worker in workers { await worker.stop() }
        for task in tasks { await task.value }
        await state.close()
    }

    /// The status of each destination, in the order of the configuration. Those that other
    /// instances serve have no figures.
    package func statuses() async -> [DestinationStatus] {
        var statuses: [DestinationStatus] = []
        for worker in workers { statuses.append(await worker.status()) }
        return statuses
    }

    /// The status of each destination, with the figures from the state for those that other
    /// instances serve.
    package func allStatuses() async -> [DestinationStatus] {
        var statuses = await statuses()
        guard !statuses.allSatisfy(\.isServed) else { return statuses }
        let last = commitFeed.durableSequence
        let stored = (try? await state.destinations()) ?? []
        for (index, status) in statuses.enumerated() where !status.isServed {
            guard let stored = stored.first(where: { $0.name == status.name }) else { continue }
            statuses[index].fill(from: stored, last: last, now: clock.wallMicroseconds)
        }
        return statuses
    }

    // MARK: Lists

    /// Events that wait, and dead letters.
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

    /// Number of events that match `query`.
    package func count(_ query: DeliveryQuery) async throws(DeliveryCommandFailure) -> Int {
        try await settle(query.destination)
        do { return try await state.count(query) } catch { throw .state(error) }
    }

    /// Writes pending changes, so that the state is up to date when it is read.
    private func settle(_ destination: String?) async throws(DeliveryCommandFailure) {
        if let destination { return await (try worker(destination)).settle() }
        for worker in workers { await worker.settle() }
    }

    // MARK: Commands

    /// Makes the events of `query` due now; returns the number changed. Events in flight, and those
    /// that wait for an earlier one, are left alone.
    package func retry(_ query: DeliveryQuery) async throws(DeliveryCommandFailure) -> Int {
        try await performAll(query) { .retry($0) }
    }

    /// Gives up the dead events of `query`, so that the later events of their orders are sent;
    /// returns the number given up.
    package func resolve(_ query: DeliveryQuery) async throws(DeliveryCommandFailure) -> Int {
        try await performAll(query) { .resolve($0) }
    }

    private func performAll(
        _ query: DeliveryQuery, _ command: ([UInt64]) -> DeliveryCommand
    ) async throws(DeliveryCommandFailure) -> Int {
        var query = query
        query.limit = DeliveryQuery.limitMax
        query.cursor = nil
        var count = 0
        repeat {
            let page = try await deliveries(query)
            for (name, found) in Dictionary(grouping: page.deliveries, by: \.destination) {
                count += try await perform(command(found.map(\.sequence)), on: name)
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

    /// The destinations of this name, or all.
    func destinations(
        _ name: String?
    ) throws(DeliveryCommandFailure) -> [DeliveryDestination] {
        guard let name else { return workers.map(\.destination) }
        return [try worker(name).destination]
    }

    private func worker(_ name: String) throws(DeliveryCommandFailure) -> DeliveryWorker {
        guard let worker = workers.first(where: { $0.destination.name == name }) else {
            throw .unknownDestination(name)
        }
        return worker
    }

    /// Carries out the command here, or by the instance that serves the destination. Returns the
    /// number of events changed.
    func perform(
        _ command: DeliveryCommand, on name: String
    ) async throws(DeliveryCommandFailure) -> Int {
        let worker = try worker(name)
        if await worker.isServing { return await worker.perform(command) }
        let changed: Int?
        do throws(DeliveryStateFailure) { changed = try await state.ask(command, of: name) } catch {
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
