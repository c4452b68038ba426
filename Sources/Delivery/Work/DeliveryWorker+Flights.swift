import Payments
import Platform

extension DeliveryWorker {
    /// Sends what the plan says.
    func send() {
        let now = now()
        // Asked for each: another instance may send the moment after the lease is over.
        while !isStopping, isLeased, let action = plan?.next(now: now) {
            switch action {
            case .wait(let until):
                if let until { wake(at: until) }
                return
            case .send(let sequence, let attempt):
                let event = events[sequence]
                let generation = generation
                flights[sequence] = Task(executorPreference: BackgroundExecutor.shared) {
                    await self.fly(sequence, attempt, event, generation)
                }
            }
        }
    }

    private func fly(
        _ sequence: UInt64, _ attempt: Int, _ known: FeedEvent?, _ generation: Int
    ) async {
        let began = now()
        var event = known
        var outcome: AttemptOutcome
        do {
            if event == nil { event = try await kept(sequence) }
            if let event {
                // Reading it may have taken longer than the lease.
                guard generation == self.generation, isLeased else { return }
                outcome = await transport.attempt(message(of: event, attempt))
            } else {
                outcome = AttemptOutcome(
                    .failed, latencyMicroseconds: 0, detail: "the state has lost the record")
            }
        } catch {
            outcome = AttemptOutcome(.canceled, latencyMicroseconds: 0)
            meet(stateFailure: error as? DeliveryStateFailure ?? .unavailable("\(error)"))
            try? await clock.sleep(microseconds: Self.retryMicroseconds)
        }
        // Of an attempt from before the lease was lost: the event may be in flight again.
        guard generation == self.generation else { return }
        land(sequence, attempt, event, outcome, began: began)
    }

    /// The event as the state has it.
    private func kept(_ sequence: UInt64) async throws -> FeedEvent? {
        guard let record = try await state.record(sequence, for: destination.name) else {
            return nil
        }
        return try FeedEvent(record)
    }

    private func message(of event: FeedEvent, _ attempt: Int) -> DeliveryMessage {
        DeliveryMessage(
            destination: destination.name, id: "\(store)-\(event.sequence)",
            type: event.type, timestamp: event.received, sequence: event.sequence,
            endpoint: event.endpoint, reference: event.reference, record: event.record,
            attempt: attempt)
    }

    /// Takes in what came of an attempt.
    private func land(
        _ sequence: UInt64, _ attempt: Int, _ event: FeedEvent?, _ outcome: AttemptOutcome,
        began: Int64
    ) {
        guard flights.removeValue(forKey: sequence) != nil, let breaker = plan?.breaker else {
            return
        }
        let wasPaused = isPaused
        let settlement = plan?.settle(sequence, outcome, now: now())
        isTouched = true
        if settlement == .delivered { events[sequence] = nil }
        if outcome.failure != .canceled {
            counters.count(outcome)
            latency.add(outcome.latencyMicroseconds)
            note(outcome, of: sequence, attempt, event, began)
        }
        if settlement == .dead {
            counters.dead += 1
            report(
                .dead(
                    sequence: sequence, endpoint: event?.endpoint ?? "",
                    reference: event?.reference ?? "", reason: outcome.reason))
        }
        if !wasPaused, isPaused { report(.gone) }
        tellChange(of: breaker, outcome)
        send()
        if needsTurn { wake() }
    }

    private func note(
        _ outcome: AttemptOutcome, of sequence: UInt64, _ attempt: Int, _ event: FeedEvent?,
        _ began: Int64
    ) {
        guard !outcome.isSuccess || attempt > 1, log.count < limits.attemptsMax else { return }
        log.append(
            LoggedAttempt(
                destination: destination.name, sequence: sequence,
                reference: event?.reference ?? "", began: Timestamp(microseconds: began),
                number: attempt, outcome: AttemptOutcomeSummary(outcome)))
    }

    private func tellChange(of before: BreakerState, _ outcome: AttemptOutcome) {
        guard let now = plan?.breaker else { return }
        if before == .closed, now == .open {
            counters.breakerOpenings += 1
            report(.breakerOpened(reason: outcome.reason))
        }
        if before != .closed, now == .closed { report(.breakerClosed) }
    }
}
