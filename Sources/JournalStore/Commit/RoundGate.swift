/// Decides when the committer takes what waits, so that few synchronisations make many submissions
/// durable.
///
/// A *round* is the submissions of one event loop between two waits. Its end is announced, so the
/// submissions of a round wait for the others of it. The answers to a batch begin the next round in
/// their loops, so a few submissions that wait already are left until that round has ended.
///
/// | what waits | taken |
/// |---|---|
/// | nothing | when something comes |
/// | something that belongs to no round | now, with all that waits |
/// | as many of rounds as are gathered at most | now |
/// | a part of a round | when a round has ended, once: what begins meanwhile is not waited for |
/// | few of whole rounds, and the next round is coming | when it is not any more |
/// | other whole rounds | now |
///
/// *Few* are fewer than half of the last batch's submissions of rounds, when the committer first
/// looks. *The next round is coming* until a round has ended after all answers to that batch were
/// taken, for at most `nextRoundNanosecondsMax`. An answer is *taken* when the submitting task has
/// resumed. At the committer's own deadline everything is taken.
///
/// A pure value: the queue calls it under its lock.
struct RoundGate {
    /// The committer's next step.
    enum Step: Equatable {
        case take
        /// Sleep until something is submitted or a round ends, at the latest until this time
        /// (nanoseconds on the monotonic clock).
        case wait(until: UInt64?)
    }

    private let options: RoundOptions

    /// Number of waiting submissions and queries, and of those that came in rounds.
    private var waiting = 0
    private var waitingOfRounds = 0
    /// Whether a part of a round waits, whose end will be announced.
    private var holdsPartOfRound = false
    /// Whether something waits that belongs to no round, or that exceeds what is gathered.
    private var holdsOther = false
    /// Number of ended rounds and of submissions that belong to none.
    private var ends: UInt64 = 0

    /// Number of the last batch's submissions of rounds: their answers begin the next round.
    private var lastOfRounds = 0
    /// Number of submissions of rounds that were taken or refused since the store was opened.
    private var answered: UInt64 = 0
    /// Number of their answers that had been taken when a round last ended.
    private var answersTakenAtEnd: UInt64 = 0

    /// The wait that is in progress.
    private var wait: (endsBefore: UInt64, forNextRound: Bool, deadline: UInt64?)?

    /// Whether the end of a round must be announced.
    private(set) var wantsRoundEnd = false

    init(_ options: RoundOptions) { self.options = options }

    /// Notes a submission or query. Returns whether a sleeping committer must be woken.
    mutating func submitted(inRound: Bool) -> Bool {
        waiting += 1
        if inRound {
            waitingOfRounds += 1
            if options.waitsForEnd && waiting < options.submissionsMax {
                holdsPartOfRound = true
                wantsRoundEnd = true
                return false
            }
        }
        if inRound && !options.waitsForEnd && options.submissionsMax > 1 {
            wantsRoundEnd = true
        } else {
            holdsOther = true
        }
        end()
        return true
    }

    /// Notes that a submission of a round was refused, which is an answer, too.
    mutating func refused() { answered += 1 }

    /// Notes the end of a loop's round. `answersTaken` counts since the store was opened.
    mutating func roundEnded(answersTaken: UInt64) {
        end()
        answersTakenAtEnd = answersTaken
        wantsRoundEnd = isNextRoundComing
    }

    /// Notes that the committer has taken all that waited.
    mutating func batchTaken() {
        lastOfRounds = waitingOfRounds
        answered += UInt64(waitingOfRounds)
        waiting = 0
        waitingOfRounds = 0
        holdsPartOfRound = false
        holdsOther = false
        wantsRoundEnd = false
        wait = nil
    }

    /// Returns the next step of a committer that has done all that it took before.
    ///
    /// - Parameter deadline: When the committer has something else to do.
    mutating func step(at now: UInt64, deadline: UInt64?) -> Step {
        let wait = wait ?? begin(at: now, deadline: deadline)
        let mustWait =
            waiting == 0 || holdsPartOfRound && ends == wait.endsBefore
            || wait.forNextRound && isNextRoundComing && !holdsOther
        guard mustWait else { return .take }
        if let deadline = wait.deadline, now >= deadline { return .take }
        return .wait(until: wait.deadline)
    }

    private mutating func begin(
        at now: UInt64, deadline: UInt64?
    ) -> (endsBefore: UInt64, forNextRound: Bool, deadline: UInt64?) {
        let areFew = waiting > 0 && waiting * 2 < lastOfRounds
        let forNextRound = areFew && options.waitsForNext
        let latest = forNextRound ? now + options.nextRoundNanosecondsMax : .max
        let end = min(deadline ?? .max, latest)
        let wait = (ends, forNextRound, end == .max ? nil : end)
        self.wait = wait
        return wait
    }

    /// Whether the last answers begin a round whose end has not been announced.
    private var isNextRoundComing: Bool { answersTakenAtEnd != answered }

    private mutating func end() {
        holdsPartOfRound = false
        ends &+= 1
    }
}

/// The committer's waits for rounds (`RoundGate`).
package struct RoundOptions: Sendable {
    /// Most submissions of rounds that are gathered until a round ends. At 0 or 1, each wakes the
    /// committer at once: for callers that announce no ends.
    package var submissionsMax = 0
    /// Longest wait of a few submissions for the round that the last answers begin.
    package var nextRoundNanosecondsMax: UInt64 = 5_000_000
    /// Each kind of waiting can be switched off, to measure its gain: for the end of a round in
    /// progress, and of a few submissions for the next round.
    package var waitsForEnd = true
    package var waitsForNext = true

    package init() {}
}
