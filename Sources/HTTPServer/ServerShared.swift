import HTTP

/// What all connections of a server share across its loops: safe to touch from every one of them.
final class ServerShared: Sendable {
    let drain = DrainState()
    let admission: Admission
    let memory: MemoryBudget
    let answers: AnswerMemory

    init(limits: Limits) {
        admission = Admission(limits: limits)
        memory = MemoryBudget(bytesMax: limits.bodiesBytesMax)
        answers = AnswerMemory(bytesMax: limits.answersBytesMax)
    }

    /// A reload's new limits.
    func set(_ limits: Limits) {
        admission.set(limits)
        memory.set(bytesMax: limits.bodiesBytesMax)
        answers.set(bytesMax: limits.answersBytesMax)
    }
}
