/// When the committer takes what waits, so that few synchronisations make many submissions durable.
///
/// A *round* is what one event loop hands over before it looks for more. Its end is announced; so
/// submissions of a round wait for the others of it. The answers to a batch begin the next round in
/// their loops; so a few submissions that wait already are left until that round has ended.
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
/// *Few* are fewer than half of what the last batch took of rounds, when the committer looks first.
/// *The next round is coming* until a round has ended after all answers to that batch were taken,
/// for at most `nextRoundNanosecondsMax`. An answer is *taken* when the task that submitted has
/// gone on. Whatever waits is taken at the committer's own deadline.
///
/// A pure value: the queue calls it under its lock.
struct RoundGate {
    /// What the committer does now.
    enum Step: Equatable {
        case take
        /// Sleep until something is submitted or a round ends, at the latest until then
        /// (nanoseconds on the monotonic clock).
        case wait(until: UInt64?)
    }

    private let options: RoundOptions

    /// How many submissions and queries wait, and how many of them came in rounds.
    private var waiting = 0
    private var waitingOfRounds = 0
    /// Part of a round waits: more of it is on its way, and its end will be announced.
    private var holdsPartOfRound = false
    /// Something waits that belongs to no round, or that fills what is gathered at most.
    private var holdsOther = false
    /// How often a round has ended, or something came that belongs to none.
    private var ends: UInt64 = 0

    /// How many of the last batch came in rounds: their answers begin the next one.
    private var lastOfRounds = 0
    /// How many came in rounds since the store was opened, and have been taken or refused.
    private var answered: UInt64 = 0
    /// How many of those answers had been taken when a round ended the last time.
    private var answersTakenAtEnd: UInt64 = 0

    /// What the committer has waited for since it looked first.
    private var wait: (endsBefore: UInt64, forNextRound: Bool, deadline: UInt64?)?

    /// Whether the end of a round must be announced.
    private(set) var wantsRoundEnd = false

    init(_ options: RoundOptions) { self.options = options }

    /// A submission or query waits. True when the committer must look, if it sleeps.
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

    /// A submission of a round was refused: its sender has an answer, too.
    mutating func refused() { answered += 1 }

    /// A round has ended in one of the loops. `answersTaken` is a count since the store was opened.
    mutating func roundEnded(answersTaken: UInt64) {
        end()
        answersTakenAtEnd = answersTaken
        wantsRoundEnd = isNextRoundComing
    }

    /// The committer has taken all that waited.
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

    /// What the committer does, which has done all that it took before.
    ///
    /// - Parameter deadline: When it has something else to do.
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

    /// The last answers have begun a round, or will, and its end has not been announced.
    private var isNextRoundComing: Bool { answersTakenAtEnd != answered }

    private mutating func end() {
        holdsPartOfRound = false
        ends &+= 1
    }
}

/// How the committer waits for rounds (`RoundGate`).
package struct RoundOptions: Sendable {
    /// Submissions of rounds are gathered up to this many until a round ends. At 0 or 1, each wakes
    /// the committer as soon as it comes: for callers that announce no ends.
    package var submissionsMax = 0
    /// How long a few submissions wait at most for the round that the last answers begin.
    package var nextRoundNanosecondsMax: UInt64 = 5_000_000
    /// Each kind of waiting can be left out, to measure what it gains: that for the end of a round
    /// in progress, and that of a few for the next round.
    package var waitsForEnd = true
    package var waitsForNext = true

    package init() {}
}
