import Journal
import Ledger
import Platform
import Store
import Synchronization

/// What waits for the committer: bounded, filled by many threads, emptied by one in a single swap.
/// `RoundGate` says when it is emptied.
final class SubmissionQueue: Sendable {
    private struct State {
        var tasks: [CommitterTask] = []
        var submissions = 0
        var bytes = 0
        var isClosed = false
        var isCommitterAsleep = false
        var gate: RoundGate
    }

    private let clock: any Clock
    private let state: Monitor<State>
    private let submissionsMax: Int
    private let bytesMax: Int
    /// `RoundGate.wantsRoundEnd`, to be read without the lock after every round of a loop.
    private let wantsRoundEnd = Atomic<Bool>(false)
    /// How many answers to submissions of rounds have been taken.
    private let answersTaken = Atomic<UInt64>(0)

    init(
        submissionsMax: Int, bytesMax: Int, rounds: RoundOptions = .init(), clock: any Clock
    ) {
        self.submissionsMax = submissionsMax
        self.bytesMax = bytesMax
        self.clock = clock
        state = Monitor(State(gate: RoundGate(rounds)), clock: clock)
    }

    /// How many submissions and queries wait.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Whether the committer sleeps until something comes.
    var isAwaited: Bool { state.withLock { $0.isCommitterAsleep } }

    /// Adds a submission of `byteCount` bytes, or says why not. The sender of one of a
    /// round calls `noteAnswerTaken`, and `flush` is called when the round ends.
    func add(_ task: CommitterTask, byteCount: Int, inRound: Bool = false) -> StoreRefusal? {
        let (refusal, wakes) = state.withLock { state -> (StoreRefusal?, Bool) in
            // One submission always fits, however large: the limit bounds the queue, not the
            // request.
            let fits =
                state.submissions == 0
                || state.submissions < submissionsMax && state.bytes + byteCount <= bytesMax
            guard !state.isClosed, fits else {
                if inRound { state.gate.refused() }
                return (state.isClosed ? .shuttingDown : .overloaded, false)
            }
            state.submissions += 1
            state.bytes += byteCount
            return (nil, append(task, inRound: inRound, to: &state))
        }
        if wakes { state.wakeOne() }
        return refusal
    }

    /// Adds a query; false when the store is closed.
    func add(query task: CommitterTask) -> Bool {
        add(task) { !$0.isClosed }
    }

    /// Adds what the store tells itself, closed or not.
    func add(notice task: CommitterTask) {
        _ = add(task) { _ in true }
    }

    /// Refuses everything from now on. The last task is what the committer does when all before it
    /// is done. False when it was closed before.
    func close(last task: CommitterTask) -> Bool {
        add(task) { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// The sender of a submission of a round has its answer.
    func noteAnswerTaken() { answersTaken.add(1, ordering: .relaxed) }

    /// A round has ended.
    func flush() {
        guard wantsRoundEnd.load(ordering: .relaxed) else { return }
        let wakes = state.withLock { state in
            state.gate.roundEnded(answersTaken: answersTaken.load(ordering: .relaxed))
            wantsRoundEnd.store(state.gate.wantsRoundEnd, ordering: .relaxed)
            return state.isCommitterAsleep
        }
        if wakes { state.wakeOne() }
    }

    /// Exchanges `emptied` for everything that waits when the gate says so, at the latest at
    /// `deadline` (nanoseconds of the clock's `now`). Only the committer calls it, when it has
    /// done all that it took before.
    func take(_ emptied: inout [CommitterTask], deadline: UInt64?) {
        state.wait { state -> Monitor<State>.Decision<Void> in
            switch state.gate.step(at: clock.now.nanoseconds, deadline: deadline) {
            case .wait(let end):
                state.isCommitterAsleep = true
                return .wait(until: end.map { MonotonicTime(nanoseconds: $0) } ?? .never)
            case .take:
                state.isCommitterAsleep = false
                swap(&state.tasks, &emptied)
                state.submissions = 0
                state.bytes = 0
                state.gate.batchTaken()
                wantsRoundEnd.store(false, ordering: .relaxed)
                return .go(())
            }
        }
    }

    private func add(_ task: CommitterTask, if isTaken: (inout State) -> Bool) -> Bool {
        let (isAdded, wakes) = state.withLock { state in
            guard isTaken(&state) else { return (false, false) }
            return (true, append(task, inRound: false, to: &state))
        }
        if wakes { state.wakeOne() }
        return isAdded
    }

    /// Whether the committer has to be woken. A signal costs a system call, and a committer that
    /// takes the first of many submissions syncs twice for what once would do.
    private func append(
        _ task: CommitterTask, inRound: Bool, to state: inout State
    ) -> Bool {
        state.tasks.append(task)
        let mustLook = state.gate.submitted(inRound: inRound)
        if state.gate.wantsRoundEnd { wantsRoundEnd.store(true, ordering: .relaxed) }
        return mustLook && state.isCommitterAsleep
    }
}

/// One thing for the committer to do.
enum CommitterTask: Sendable {
    /// Make a notification durable and say what became of it.
    case record(QueuedSubmission, UnsafeContinuation<Receipt, Never>)
    /// Make durable what the merchant expects of an order. Rare and large, hence boxed: the
    /// others stay small.
    indirect case register(Registration, UnsafeContinuation<Receipt, Never>)
    /// Make durable what a person does. As rare.
    indirect case act(Act, UnsafeContinuation<Receipt, Never>)
    /// Look at the durable state, between batches.
    case query(@Sendable (borrowing StoreTables) -> Void)
    /// The snapshot that was being written is done, or has failed for this reason.
    case snapshotEnded(JournalError?)
    /// Write the last snapshot when asked to, and end.
    case close(UnsafeContinuation<Void, Never>)
}

extension QueuedSubmission {
    /// Everything that the tables are asked about it. Asked of the object, for its notification is
    /// then not copied.
    func hashes(_ keys: inout KeyMaker, endpoint: UInt16) -> NotificationHashes {
        keys.hashes(of: submission.notification, endpoint)
    }
}
