import AdminAPI
import Platform
import Testing

@testable import Pages

@Suite struct SessionsTests {
    private static let access = AdminAccess(
        token: Array("a-full-token".utf8), viewerToken: Array("a-viewer-token".utf8))
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private static func open(_ sessions: Sessions, _ role: AdminRole) throws -> String {
        sessions.open(role, mark: try #require(access.mark(of: role)), now: start)
    }

    @Test func aSessionHasTheRoleItWasOpenedWithUntilItEnds() throws {
        let sessions = Sessions()
        let identifier = try Self.open(sessions, .viewer)
        #expect(sessions.role(of: identifier, Self.access, now: Self.start) == .viewer)
        #expect(sessions.role(of: identifier + "0", Self.access, now: Self.start) == nil)
        sessions.end(identifier)
        #expect(sessions.role(of: identifier, Self.access, now: Self.start) == nil)
    }

    @Test func aSessionThatNobodyUsesEnds() throws {
        let sessions = Sessions()
        let identifier = try Self.open(sessions, .admin)
        let almost = Self.start.advanced(seconds: Sessions.idleSecondsMax)
        #expect(sessions.role(of: identifier, Self.access, now: almost) == .admin)
        let later = almost.advanced(seconds: Sessions.idleSecondsMax)
        // A page that looks again by itself does not count as a use.
        #expect(sessions.role(of: identifier, Self.access, counts: false, now: later) == .admin)
        let end = later.advanced(seconds: 1)
        #expect(sessions.role(of: identifier, Self.access, now: end) == nil)
    }

    @Test func aSessionThatIsUsedEndsAtItsAge() throws {
        let sessions = Sessions()
        let identifier = try Self.open(sessions, .admin)
        var now = Self.start
        for _ in 0..<(Sessions.ageSecondsMax / 1200) {
            now = now.advanced(seconds: 1200)
            #expect(sessions.role(of: identifier, Self.access, now: now) == .admin)
        }
        now = now.advanced(seconds: 1200)
        #expect(sessions.role(of: identifier, Self.access, now: now) == nil)
    }

    @Test func anotherTokenEndsTheSessionsOfTheOldOne() throws {
        let sessions = Sessions()
        let identifier = try Self.open(sessions, .admin)
        let changed = AdminAccess(token: Array("another".utf8))
        #expect(sessions.role(of: identifier, changed, now: Self.start) == nil)
        let viewer = try Self.open(sessions, .viewer)
        #expect(sessions.role(of: viewer, AdminAccess(token: nil), now: Self.start) == nil)
    }

    @Test func theOneUsedLongestAgoMakesRoom() throws {
        let sessions = Sessions()
        let first = try Self.open(sessions, .admin)
        let mark = try #require(Self.access.mark(of: .admin))
        for number in 1...Sessions.countMax {
            _ = sessions.open(.admin, mark: mark, now: Self.start.advanced(seconds: number))
        }
        #expect(sessions.count == Sessions.countMax)
        let now = Self.start.advanced(seconds: Sessions.countMax)
        #expect(sessions.role(of: first, Self.access, now: now) == nil)
    }
}

@Suite struct SignInLimitTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

    @Test func anAddressWaitsAfterTooManyWrongTokens() {
        let limit = SignInLimit()
        for _ in 0..<SignInLimit.failuresPerAddressMax {
            #expect(limit.secondsToWait("10.0.0.1", now: Self.start) == nil)
            limit.noteFailure("10.0.0.1", now: Self.start)
        }
        #expect(limit.secondsToWait("10.0.0.1", now: Self.start) == SignInLimit.windowSeconds + 1)
        #expect(limit.secondsToWait("10.0.0.2", now: Self.start) == nil)
        let later = Self.start.advanced(seconds: SignInLimit.windowSeconds)
        #expect(limit.secondsToWait("10.0.0.1", now: later) == nil)
    }

    @Test func manyAddressesTogetherAreLimitedToo() {
        let limit = SignInLimit()
        for number in 0..<SignInLimit.failuresMax {
            limit.noteFailure("10.0.\(number / 256).\(number % 256)", now: Self.start)
        }
        #expect(limit.secondsToWait("192.0.2.1", now: Self.start) != nil)
    }

    @Test func itsMemoryIsBounded() {
        let limit = SignInLimit()
        for number in 0..<5000 { limit.noteFailure("a\(number)", now: Self.start) }
        #expect(limit.addressCount == SignInLimit.addressesMax)
    }
}
