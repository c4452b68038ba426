import Foundation
import Synchronization
import Testing

@testable import Platform

@Suite struct PlatformThreadTests {
    private final class Result<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    /// Runs `body` on a thread of its own and waits for what it returns.
    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) -> Value {
        let result = Result<Value>()
        PlatformThread(name: "test") { result.value.withLock { $0 = body() } }.join()
        return result.value.withLock { $0! }
    }

    private static var niceness: Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }

    private static var name: String? {
        try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    }

    @Test func steppingBackIsForTheCallingThreadAlone() {
        let before = Self.niceness
        let stepped = Self.onThread {
            PlatformThread.lowerPriority(niceness: 7)
            return Self.niceness
        }
        #expect(stepped == 7)
        #expect(Self.onThread { Self.niceness } == before)
    }

    @Test func aThreadHasItsName() {
        #expect(Self.onThread { Self.name } == "test\n")
        let renamed = Self.onThread {
            PlatformThread.nameCurrent("a-name-that-is-too-long")
            return Self.name
        }
        #expect(renamed == "a-name-that-is-\n")
    }
}
