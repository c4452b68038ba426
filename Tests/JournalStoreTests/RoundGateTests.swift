import Testing

@testable import JournalStore

/// Every row of the gate's table, without threads.
@Suite struct RoundGateTests {
    private static let nextRoundMax: UInt64 = 5

    /// A gate that an expectation may change.
    private final class Subject {
        private var gate: RoundGate

        init(_ options: RoundOptions) { gate = RoundGate(options) }

        var wantsRoundEnd: Bool { gate.wantsRoundEnd }
        func submitted(inRound: Bool) -> Bool { gate.submitted(inRound: inRound) }
        func refused() { gate.refused() }
        func roundEnded(answersTaken: UInt64) { gate.roundEnded(answersTaken: answersTaken) }
        func batchTaken() { gate.batchTaken() }
        func step(at now: UInt64, deadline: UInt64?) -> RoundGate.Step {
            gate.step(at: now, deadline: deadline)
        }
    }

    private static func gate(
        submissionsMax: Int = 3, waitsForEnd: Bool = true, waitsForNext: Bool = true
    ) -> Subject {
        var options = RoundOptions()
        options.submissionsMax = submissionsMax
        options.nextRoundNanosecondsMax = nextRoundMax
        options.waitsForEnd = waitsForEnd
        options.waitsForNext = waitsForNext
        return Subject(options)
    }

    /// A gate after a batch of this many submissions of rounds, none of whose answers is taken yet.
    private static func gate(behindRoundsOf count: Int, waitsForNext: Bool = true) -> Subject {
        let gate = Self.gate(submissionsMax: 100, waitsForNext: waitsForNext)
        for _ in 0..<count { _ = gate.submitted(inRound: true) }
        gate.batchTaken()
        return gate
    }

    @Test func `nothing is waited for until the deadline`() {
        let gate = Self.gate()
        #expect(gate.step(at: 1, deadline: nil) == .wait(until: nil))
        let limited = Self.gate()
        #expect(limited.step(at: 1, deadline: 9) == .wait(until: 9))
        #expect(limited.step(at: 8, deadline: 9) == .wait(until: 9))
        #expect(limited.step(at: 9, deadline: 9) == .take)
    }

    @Test func `what belongs to no round is taken now`() {
        let gate = Self.gate()
        #expect(gate.submitted(inRound: false))
        #expect(gate.step(at: 1, deadline: nil) == .take)
    }

    @Test func `what belongs to no round takes part of a round along`() {
        let gate = Self.gate()
        #expect(!gate.submitted(inRound: true))
        #expect(gate.step(at: 1, deadline: nil) == .wait(until: nil))
        #expect(gate.submitted(inRound: false))
        #expect(gate.step(at: 1, deadline: nil) == .take)
    }

    @Test func `as many as are gathered at most are taken now`() {
        let gate = Self.gate(submissionsMax: 3)
        #expect(!gate.submitted(inRound: true))
        #expect(!gate.submitted(inRound: true))
        #expect(gate.submitted(inRound: true))
        #expect(gate.step(at: 1, deadline: nil) == .take)
    }

    @Test(arguments: [0, 1])
    func `without gathering each is taken now`(submissionsMax: Int) {
        let gate = Self.gate(submissionsMax: submissionsMax)
        #expect(gate.submitted(inRound: true))
        #expect(gate.step(at: 1, deadline: nil) == .take)
        #expect(!gate.wantsRoundEnd)
    }

    @Test func `part of a round waits for its end`() {
        let gate = Self.gate()
        #expect(!gate.wantsRoundEnd)
        _ = gate.submitted(inRound: true)
        #expect(gate.wantsRoundEnd)
        #expect(gate.step(at: 1, deadline: 9) == .wait(until: 9))
        gate.roundEnded(answersTaken: 0)
        #expect(gate.step(at: 1, deadline: 9) == .take)
        #expect(!gate.wantsRoundEnd)
    }

    @Test func `one end is enough`() {
        let gate = Self.gate()
        _ = gate.submitted(inRound: true)
        #expect(gate.step(at: 1, deadline: nil) == .wait(until: nil))
        gate.roundEnded(answersTaken: 0)
        _ = gate.submitted(inRound: true)
        #expect(gate.step(at: 1, deadline: nil) == .take, "the second may wait for its own batch")
    }

    @Test func `a round that begins before the committer looks is waited for`() {
        let gate = Self.gate()
        _ = gate.submitted(inRound: true)
        gate.roundEnded(answersTaken: 0)
        _ = gate.submitted(inRound: true)
        #expect(gate.step(at: 1, deadline: nil) == .wait(until: nil))
    }

    @Test func `fewer than half wait for the round that the answers begin`() {
        let gate = Self.gate(behindRoundsOf: 3)
        _ = gate.submitted(inRound: true)
        gate.roundEnded(answersTaken: 0)
        #expect(gate.step(at: 1, deadline: nil) == .wait(until: 6))
        gate.roundEnded(answersTaken: 2)
        #expect(gate.step(at: 2, deadline: nil) == .wait(until: 6), "one answer is on its way")
        #expect(gate.wantsRoundEnd)
        gate.roundEnded(answersTaken: 3)
        #expect(gate.step(at: 3, deadline: nil) == .take)
        #expect(!gate.wantsRoundEnd)
    }

    @Test func `few do not wait for a round that has ended`() {
        let gate = Self.gate(behindRoundsOf: 3)
        _ = gate.submitted(inRound: true)
        gate.roundEnded(answersTaken: 3)
        #expect(gate.step(at: 1, deadline: nil) == .take)
    }

    @Test func `refusals are answers too`() {
        let gate = Self.gate(behindRoundsOf: 3)
        _ = gate.submitted(inRound: true)
        gate.refused()
        gate.roundEnded(answersTaken: 3)
        #expect(gate.step(at: 1, deadline: nil) == .wait(until: 6))
        gate.roundEnded(answersTaken: 4)
        #expect(gate.step(at: 1, deadline: nil) == .take)
    }

    @Test func `few wait no longer than the limit or the deadline`() {
        for (deadline, end) in [(nil, 6), (100, 6), (4, 4)] as [(UInt64?, UInt64)] {
            let gate = Self.gate(behindRoundsOf: 3)
            _ = gate.submitted(inRound: true)
            gate.roundEnded(answersTaken: 0)
            #expect(gate.step(at: 1, deadline: deadline) == .wait(until: end))
            #expect(gate.step(at: end - 1, deadline: deadline) == .wait(until: end))
            #expect(gate.step(at: end, deadline: deadline) == .take)
        }
    }

    @Test func `half as many do not wait`() {
        let gate = Self.gate(behindRoundsOf: 4)
        for _ in 1...2 { _ = gate.submitted(inRound: true) }
        gate.roundEnded(answersTaken: 0)
        #expect(gate.step(at: 1, deadline: nil) == .take)
    }

    @Test func `few are taken along with what belongs to no round`() {
        let gate = Self.gate(behindRoundsOf: 9)
        _ = gate.submitted(inRound: true)
        gate.roundEnded(answersTaken: 0)
        #expect(gate.step(at: 1, deadline: nil) == .wait(until: 6))
        #expect(gate.submitted(inRound: false))
        #expect(gate.step(at: 1, deadline: nil) == .take)
    }

    @Test func `each kind of waiting can be left out`() {
        let withoutEnd = Self.gate(waitsForEnd: false)
        #expect(withoutEnd.submitted(inRound: true))
        #expect(withoutEnd.wantsRoundEnd, "the next round is still waited for")
        #expect(withoutEnd.step(at: 1, deadline: nil) == .take)
        let withoutNext = Self.gate(behindRoundsOf: 9, waitsForNext: false)
        _ = withoutNext.submitted(inRound: true)
        withoutNext.roundEnded(answersTaken: 0)
        #expect(withoutNext.step(at: 1, deadline: nil) == .take)
    }
}
