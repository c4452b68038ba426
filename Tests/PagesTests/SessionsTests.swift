import AdminAPI
import TestSupport
import Testing

@testable import Pages

@Suite struct SessionsTests {
    private static let access = AdminAccess(
        token: Array("a-full-token".utf8), viewerToken: Array("a-viewer-token".utf8))
    private let clock = ManualClock()
    private let sessions: Sessions

    init() { sessions = Sessions(clock: clock) }

    private func open(_ role: AdminRole) throws -> String {
        sessions.open(role, mark: try #require(Self.access.mark(of: role)))
    }

    private func role(_ identifier: String, counts: Bool = true) -> AdminRole? {
        sessions.role(of: identifier, Self.access, counts: counts)
    }

    @Test func `a session keeps its role until it ends`() throws {
        let identifier = try open(.viewer)
        #expect(role(identifier) == .viewer)
        #expect(role(identifier + "0") == nil)
        sessions.end(identifier)
        #expect(role(identifier) == nil)
    }

    @Test func `an idle session ends`() throws {
        let identifier = try open(.admin)
        clock.advance(seconds: Double(Sessions.idleSecondsMax))
        #expect(role(identifier) == .admin)
        clock.advance(seconds: Double(Sessions.idleSecondsMax))
        // An automatic reload of a page does not count as use.
        #expect(role(identifier, counts: false) == .admin)
        clock.advance(seconds: 1)
        #expect(role(identifier) == nil)
    }

    @Test func `a session in use ends at its maximum age`() throws {
        let identifier = try open(.admin)
        for _ in 0..<(Sessions.ageSecondsMax / 1200) {
            clock.advance(seconds: 1200)
            #expect(role(identifier) == .admin)
        }
        clock.advance(seconds: 1200)
        #expect(role(identifier) == nil)
    }

    @Test func `a changed token ends the sessions of the old one`() throws {
        let identifier = try open(.admin)
        let changed = AdminAccess(token: Array("another".utf8))
        #expect(sessions.role(of: identifier, changed) == nil)
        let viewer = try open(.viewer)
        #expect(sessions.role(of: viewer, AdminAccess(token: nil)) == nil)
    }

    @Test func `a new session replaces the least recently used one`() throws {
        let first = try open(.admin)
        let mark = try #require(Self.access.mark(of: .admin))
        for _ in 1...Sessions.countMax {
            clock.advance(seconds: 1)
            _ = sessions.open(.admin, mark: mark)
        }
        #expect(sessions.count == Sessions.countMax)
        #expect(role(first) == nil)
    }

    /// After three hundred sign-ins of a viewer, the administrator is still signed in.
    @Test func `viewers cannot end the sessions of administrators`() throws {
        let admin = try open(.admin)
        for _ in 0..<300 { _ = try open(.viewer) }
        #expect(role(admin) == .admin)
        #expect(sessions.count == Sessions.countMax + 1)
    }
}
