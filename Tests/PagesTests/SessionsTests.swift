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
        let mark = try #require(Self.access.mark(of: role.rawValue, role))
        return sessions.open(.init(name: role.rawValue, role: role), mark: mark)
    }

    private func role(_ identifier: String, counts: Bool = true) -> AdminRole? {
        sessions.holder(of: identifier, Self.access, counts: counts)?.role
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
        #expect(sessions.holder(of: identifier, changed) == nil)
        let viewer = try open(.viewer)
        #expect(sessions.holder(of: viewer, AdminAccess(token: nil)) == nil)
    }

    @Test func `a person whose role changes has to sign in again`() throws {
        let token = Array("alice-has-this-token".utf8)
        func access(_ role: AdminRole) -> AdminAccess {
            AdminAccess(
                token: Array("a-full-token".utf8),
                people: [.init(name: "alice", role: role, token: token)])
        }
        let before = access(.operator)
        let mark = try #require(before.mark(of: "alice", .operator))
        let identifier = sessions.open(.init(name: "alice", role: .operator), mark: mark)
        #expect(sessions.holder(of: identifier, before)?.name == "alice")
        #expect(sessions.holder(of: identifier, access(.viewer)) == nil)
    }

    @Test func `a new session replaces the least recently used one`() throws {
        let first = try open(.admin)
        let mark = try #require(Self.access.mark(of: "admin", .admin))
        for _ in 1...Sessions.countMax {
            clock.advance(seconds: 1)
            _ = sessions.open(.init(name: "admin", role: .admin), mark: mark)
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
