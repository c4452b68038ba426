import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Platform

@Suite(.ownThreads) struct PlatformThreadTests {
    private final class Result<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    /// Runs `body` on a new thread and waits for its result.
    private static func onThread<Value: Sendable>(
        name: String = "test", niceness: Int32 = 0, _ body: @escaping @Sendable () -> Value
    ) -> Value {
        let result = Result<Value>()
        PlatformThread(name: name, niceness: niceness) {
            result.value.withLock { $0 = body() }
        }.join()
        return result.value.withLock { $0! }
    }

    private static var niceness: Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }

    private static var name: String? {
        try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    }

    @Test func `a niceness is for the new thread alone`() {
        let before = Self.niceness
        #expect(Self.onThread(niceness: 7) { Self.niceness } == 7)
        #expect(Self.niceness == before)
        #expect(Self.onThread { Self.niceness } == before)
    }

    @Test func `a thread has its name`() {
        #expect(Self.onThread { Self.name } == "test\n")
        #expect(Self.onThread(name: "a-name-that-is-too-long") { Self.name } == "a-name-that-is-\n")
    }
}
