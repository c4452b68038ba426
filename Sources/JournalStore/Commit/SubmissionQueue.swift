import Journal
import Ledger
import Platform
import Store
import Synchronization

/// The bounded queue of the committer: filled by many threads, emptied by one in a single swap,
/// when `RoundGate` decides.
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
    /// `RoundGate.wantsRoundEnd`, read without the lock after every round of a loop.
    private let wantsRoundEnd = Atomic<Bool>(false)
    /// Number of taken answers to submissions of rounds.
    private let answersTaken = Atomic<UInt64>(0)

    init(
        submissionsMax: Int, bytesMax: Int, rounds: RoundOptions = .init(), clock: any Clock
    ) {
        self.submissionsMax = submissionsMax
        self.bytesMax = bytesMax
        self.clock = clock
        state = Monitor(State(gate: RoundGate(rounds)), clock: clock)
    }

    /// Number of waiting submissions and queries.
    var count: Int { state.withLock { $0.tasks.count } }

    /// Whether the committer sleeps until something comes.
    var isAwaited: Bool { state.withLock { $0.isCommitterAsleep } }

    /// Adds a submission of `byteCount` bytes, or returns why not. The sender of one in a round
    /// calls `noteAnswerTaken`, and `flush` is called when the round ends.
    ///
    /// - Parameter count: Number of events.
    func add(
        _ task: CommitterTask, byteCount: Int, count: Int = 1, inRound: Bool = false
    ) -> StoreRefusal? {
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
            state.submissions += count
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

    /// Adds a notice of the store to itself, also when it is closed.
    func add(notice task: CommitterTask) {
        _ = add(task) { _ in true }
    }

    /// Adds the last task, and refuses everything from now on. Returns false when it was closed
    /// before.
    func close(last task: CommitterTask) -> Bool {
        add(task) { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    /// Notes that the sender of a submission of a round has its answer.
    func noteAnswerTaken() { answersTaken.add(1, ordering: .relaxed) }

    /// Notes the end of a round.
    func flush() {
        guard wantsRoundEnd.load(ordering: .relaxed) else { return }
        let wakes = state.withLock { state in
            state.gate.roundEnded(answersTaken: answersTaken.load(ordering: .relaxed))
            wantsRoundEnd.store(state.gate.wantsRoundEnd, ordering: .relaxed)
            return state.isCommitterAsleep
        }
        if wakes { state.wakeOne() }
    }

    /// Exchanges `emptied` for all that waits when the gate decides so, at the latest at `deadline`
    /// (nanoseconds of the clock's `now`). Only the committer calls it, when it has done all that
    /// it took before.
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

    /// Appends a task and returns whether the committer has to be woken. A signal costs a system
    /// call, and a committer that takes the first of many submissions syncs twice where once is
    /// enough.
    private func append(
        _ task: CommitterTask, inRound: Bool, to state: inout State
    ) -> Bool {
        state.tasks.append(task)
        let mustLook = state.gate.submitted(inRound: inRound)
        if state.gate.wantsRoundEnd { wantsRoundEnd.store(true, ordering: .relaxed) }
        return mustLook && state.isCommitterAsleep
    }
}

/// A task of the committer.
enum CommitterTask: Sendable {
    /// Make a notification durable and return its receipt.
    case record(QueuedSubmission, UnsafeContinuation<Receipt, Never>)
    /// Make the events of one request durable together. Rarer, hence boxed.
    indirect case recordAll([QueuedSubmission], UnsafeContinuation<[Receipt], Never>)
    /// Make an expectation durable. Rare and large, hence boxed: the others stay small.
    indirect case register(Registration, UnsafeContinuation<Receipt, Never>)
    /// Make an act of a person durable. As rare.
    indirect case act(Act, UnsafeContinuation<Receipt, Never>)
    /// Look at the durable state, between batches.
    case query(@Sendable (borrowing StoreTables) -> Void)
    /// The snapshot is written, or has failed for this reason.
    case snapshotEnded(JournalError?)
    /// Write the last snapshot, when one is due, and end.
    case close(UnsafeContinuation<Void, Never>)
}

extension QueuedSubmission {
    /// The keys that are looked up for it. A method of the object, so that the notification is not
    /// copied.
    func hashes(_ keys: inout KeyMaker, endpoint: UInt16) -> NotificationHashes {
        keys.hashes(of: submission.notification, endpoint)
    }
}
