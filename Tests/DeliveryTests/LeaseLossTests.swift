import Synchronization
import TestSupport
import Testing

@testable import Delivery

/// Work ends with its lease, whatever the instance was waiting for when it lost the lease and took
/// it again.
@Suite final class LeaseLossTests: Sendable {
    private let clock = ManualClock()
    private let records = MemoryRecords()
    private let gate = Gate()
    private let notices = Mutex<[DeliveryNotice]>([])
    private let progress = DeliveryProgress(["shop"])

    private func start(
        _ state: ScriptedState, _ transport: FakeTransport = FakeTransport(),
        retrySeconds: [Double] = [0.01], stateSeconds: Double = 0.01
    ) -> DeliveryService {
        var limits = DeliveryLimits()
        limits.stateSecondsMax = stateSeconds
        limits.drainSecondsMax = 0.1
        return DeliveryService(
            [DeliveryDestination(name: "shop", retrySeconds: retrySeconds)], source: records,
            commitFeed: records.commitFeed, state: state, transport: transport, limits: limits,
            progress: progress, clock: clock
        ) { [self] _, notice in notices.withLock { $0.append(notice) } }
    }

    private var losses: Int { notices.withLock { $0.count { $0 == .leaseLost } } }

    /// Runs the tasks that have passed a gate until they wait again.
    private func yieldLong() async {
        for _ in 0..<2000 { await Task.yield() }
    }

    /// Loses the lease and takes it again, while a task waits at the gate.
    private func loseAndRetake(_ state: ScriptedState) async {
        let before = (state.lease, losses)
        state.lose()
        #expect(await clock.ticks { self.losses == before.1 + 1 })
        state.free()
        #expect(await clock.ticks { state.lease == before.0 + 1 })
        #expect(await clock.ticks { self.notices.withLock { $0.last == .leaseTaken } })
    }

    /// The worker was not notified yet that the lease has expired.
    @Test func `nothing is sent after the lease has expired`() async throws {
        let (state, transport) = (ScriptedState(), FakeTransport())
        let service = start(state, transport)
        #expect(await clock.ticks { state.lease == 1 })
        records.append(["A"])
        #expect(await clock.ticks { transport.sent.count == 1 })
        state.expire()
        records.append(["B", "C"])
        // Events that were read and not sent are written.
        #expect(await clock.ticks { await service.statuses().first?.figures?.position == 3 })
        #expect(await service.statuses().first?.figures?.inFlight == 0)
        await clock.ticking { await service.stop() }
        #expect(transport.sent.count == 1)
    }

    /// Reading an event's record takes longer than the lease. If the lease was taken again since,
    /// the new plan delivers the event.
    @Test(arguments: [false, true])
    func `a record that is read too late is not sent`(isRetaken: Bool) async throws {
        let event = try FeedEvent.sample(1)
        let kept = RestoredDelivery.Event(
            row: DeliveryRow(sequence: 1, attempts: 1, due: 0, isDead: false),
            orders: event.orders, received: event.received.microseconds)
        let state = ScriptedState(
            RestoredDelivery(cursor: 1, events: [kept]),
            onRecord: { [gate] number in
                if number == 1 { await gate.pass() }
                return event.record
            })
        records.append(["R-1"])
        let transport = FakeTransport()
        let service = start(state, transport)
        #expect(await clock.ticks { self.gate.visitors == 1 })
        if isRetaken {
            await loseAndRetake(state)
            #expect(await clock.ticks { transport.sent.count == 1 })
        } else {
            state.expire()
        }
        gate.open()
        await yieldLong()
        await clock.ticking { await service.stop() }
        #expect(transport.sent.count == (isRetaken ? 1 : 0))
    }

    /// The event is in flight again when the answer to its first attempt arrives.
    @Test func `an answer to an attempt under an earlier lease settles nothing`() async throws {
        let second = Gate()
        let attempts = Mutex(0)
        let transport = FakeTransport { [gate] _ in
            let number = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            await (number == 1 ? gate : second).pass()
            return FakeTransport.good
        }
        let state = ScriptedState()
        let service = start(state, transport)
        records.append(["A"])
        #expect(await clock.ticks { self.gate.visitors == 1 })
        await loseAndRetake(state)
        #expect(await clock.ticks { second.visitors == 1 })
        gate.open()
        records.append(["B"])
        #expect(await clock.ticks { second.visitors == 2 })
        await yieldLong()
        #expect(await service.statuses().first?.figures?.inFlight == 2)
        second.open()
        #expect(await clock.ticks { state.writes.last?.changes.cursor == 2 })
        await clock.ticking { await service.stop() }
        #expect(transport.sent.map(\.sequence) == [1, 1, 2])
    }

    /// The failed write must not be repeated under the new lease, nor count as its failure.
    @Test(arguments: [DeliveryStateFailure.unavailable("away"), .leaseLost])
    func `a write that fails after the lease was lost is discarded`(_ failure: DeliveryStateFailure)
        async throws
    {
        let state = ScriptedState(onWrite: { [gate] number throws(DeliveryStateFailure) in
            guard number == 1 else { return }
            await gate.pass()
            throw failure
        })
        let service = start(state)
        records.append(["A"])
        #expect(await clock.ticks { self.gate.visitors == 1 })
        state.lose()
        #expect(await clock.ticks { self.losses == 1 })
        gate.open()
        await yieldLong()
        state.free()
        records.append(["B"])
        #expect(await clock.ticks { state.writes.last?.changes.cursor == 2 })
        await clock.ticking { await service.stop() }
        #expect(state.writes.map(\.lease).filter { $0 == 1 }.count == 1)
        #expect(losses == 1)
        #expect(!notices.withLock { $0.contains(.stateFailed("away")) })
    }

    /// The write was durable before the lease was lost, but the new plan's events are not in it.
    @Test func `a write that succeeds after the lease was lost takes nothing from the new plan`()
        async throws
    {
        // The worker writes once and then not for an hour; a list causes the second write.
        let state = ScriptedState(onWrite: { [gate] number in
            if number == 2 { await gate.pass() }
        })
        let isGood = Mutex(true)
        let transport = FakeTransport { _ in
            isGood.withLock(\.self)
                ? FakeTransport.good : AttemptOutcome(.timeout, latencyMicroseconds: 1)
        }
        let service = start(
            state, transport, retrySeconds: Array(repeating: 0.01, count: 10_000),
            stateSeconds: 3600)
        records.append(["A"])
        #expect(await clock.ticks { state.writes.count == 1 })
        #expect(await clock.ticks { transport.sent.count == 1 })
        isGood.withLock { $0 = false }
        records.append(["B"])
        #expect(await clock.ticks { transport.sent.count > 2 })
        state.script.withLock { $0.opened = RestoredDelivery(cursor: 1) }
        async let count = service.count(DeliveryQuery())
        #expect(await clock.ticks { self.gate.visitors == 1 })
        #expect(state.writes.last?.changes.new == [2])
        await loseAndRetake(state)
        let before = transport.sent.count
        #expect(await clock.ticks { transport.sent.count > before + 1 })
        gate.open()
        _ = try await count
        isGood.withLock { $0 = true }
        #expect(await clock.ticks { await service.statuses().first?.figures?.waiting == 0 })
        await clock.ticking { await service.stop() }
        #expect(state.script.withLock(\.recordsAsked) == 0, "it was in memory")
        #expect(state.writes.last?.changes.cursor == 2)
    }

    /// Commands that were read under an earlier lease are discarded: the new plan reads them again.
    @Test func `commands that are read too late are carried out once`() async throws {
        let state = ScriptedState(onCommands: { [gate] number in
            if number == 2 { await gate.pass() }
            return number == 1 ? [] : [QueuedCommand(id: 1, command: .pause)]
        })
        let service = start(state)
        #expect(await clock.ticks { state.script.withLock(\.commandsAsked) == 1 })
        // The worker reads the commands, and loses the lease before it has them.
        state.script.withLock(\.changed)()
        #expect(await clock.ticks { self.gate.visitors == 1 })
        state.lose()
        #expect(await clock.ticks { self.losses == 1 })
        gate.open()
        await yieldLong()
        state.free()
        records.append(["A"])
        #expect(await clock.ticks { await service.statuses().first?.figures?.pause == .command })
        #expect(await clock.ticks { state.writes.contains { $0.answers == [1: 0] } })
        await clock.ticking { await service.stop() }
    }
}
