import Synchronization
import Testing

@testable import Providers

@Suite struct TransmissionMemoryTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `an id is admitted with one body only`() {
        let memory = TransmissionMemory()
        #expect(memory.admits(bytes("a"), under: [bytes("e"), bytes("1")]))
        #expect(memory.admits(bytes("a"), under: [bytes("e"), bytes("1")]))
        #expect(!memory.admits(bytes("b"), under: [bytes("e"), bytes("1")]))
        #expect(memory.admits(bytes("b"), under: [bytes("e"), bytes("2")]))
        // The parts of a name cannot be shifted.
        #expect(memory.admits(bytes("b"), under: [bytes("e1"), bytes("")]))
        #expect(memory.admits(bytes("c"), under: [bytes(""), bytes("e1")]))
    }

    @Test func `it holds after a restart`() {
        let kept = Mutex<[TransmissionMemory.Entry]>([])
        let memory = TransmissionMemory()
        memory.connect([]) { entry, _ in kept.withLock { $0.append(entry) } }
        for number in 0..<3 { _ = memory.admits(bytes("a\(number)"), under: [bytes("\(number)")]) }
        _ = memory.admits(bytes("other"), under: [bytes("1")])
        #expect(kept.withLock { $0.count } == 3)
        let next = TransmissionMemory()
        next.connect(kept.withLock { $0 }) { _, _ in Issue.record("kept twice") }
        #expect(next.admits(bytes("a1"), under: [bytes("1")]))
        #expect(!next.admits(bytes("other"), under: [bytes("1")]))
    }

    @Test func `the last ones are known, and memory is bounded`() {
        let generations = Mutex(0)
        let memory = TransmissionMemory(generationMax: 10)
        memory.connect([]) { _, isNew in if isNew { generations.withLock { $0 += 1 } } }
        for number in 0..<35 { _ = memory.admits(bytes("a"), under: [bytes("\(number)")]) }
        #expect(generations.withLock { $0 } == 3)
        for number in 20..<35 { #expect(!memory.admits(bytes("b"), under: [bytes("\(number)")])) }
        #expect(memory.admits(bytes("b"), under: [bytes("19")]))
    }
}
