/// Everything that the state of one destination still has to take in, besides the plan's changes:
/// attempts, answers to commands, and a write that failed.
struct WriteBacklog {
    /// Whether something happened since the last write was made.
    private(set) var isPending = false
    /// The write that failed last. It is repeated before anything newer.
    private(set) var failed: DeliveryWrite?
    private var attempts: [LoggedAttempt] = []
    /// Number of events that each command changed, by the command's id.
    private var answers: [Int64: Int] = [:]
    /// Commands that were carried out and may still be in the state.
    private var answered: Set<Int64> = []

    /// Asks for a write.
    mutating func touch() { isPending = true }

    /// Adds an attempt, unless there are `countMax` already.
    mutating func add(_ attempt: LoggedAttempt, countMax: Int) {
        if attempts.count < countMax { attempts.append(attempt) }
    }

    /// Whether the command is new. Otherwise it was carried out before.
    mutating func accepts(_ command: QueuedCommand) -> Bool {
        answered.insert(command.id).inserted
    }

    /// Adds the answer to a command: the number of events that it changed.
    mutating func answer(_ command: QueuedCommand, changed count: Int) {
        answers[command.id] = count
    }

    /// Moves attempts and answers into the next write.
    mutating func take(into write: inout DeliveryWrite) {
        isPending = false
        (write.attempts, write.answers) = (attempts, answers)
        attempts = []
        answers = [:]
    }

    /// The state has `write`.
    mutating func succeed(_ write: DeliveryWrite) {
        failed = nil
        for id in write.answers.keys { answered.remove(id) }
    }

    /// The state may have `write` or not; it is written again.
    mutating func fail(_ write: DeliveryWrite) {
        failed = write
        isPending = true
    }
}
