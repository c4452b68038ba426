import HTTP
import HTTPServer
import Platform
import TestSupport
import Testing

@testable import AdminAPI

/// Who is recognised: tokens, people, and names that a proxy states.
@Suite struct AdminAccessRuleTests {
    private static let people = [
        AdminPerson(name: "alice", role: .operator, token: Array("alice-token".utf8)),
        AdminPerson(name: "bob@shop.example", role: .viewer, token: nil),
    ]

    private static func access(others: AdminRole? = nil) -> AdminAccess {
        AdminAccess(
            token: Array("admin-token".utf8), viewerToken: Array("viewer-token".utf8),
            people: people,
            identity: ProxyIdentity(
                header: "X-Forwarded-User", trusted: [IPNetwork("10.0.0.0/8")].compactMap(\.self),
                roleOfOthers: others),
            hosts: ["ops.shop.example"])
    }

    private static func context(_ peer: String) throws -> RequestContext {
        let address = try #require(IPAddress(peer))
        return RequestContext(
            peer: .ip(address, port: 1), client: IPAddress("203.0.113.9"), isTLS: false,
            clientCertificate: nil)
    }

    private static func request(_ fields: [(String, String)]) -> Request {
        .get("/orders", fields)
    }

    private static func caller(
        _ fields: [(String, String)], from peer: String = "192.0.2.1", others: AdminRole? = nil
    ) throws -> AdminCaller? {
        try access(others: others).caller(of: request(fields), context(peer))
    }

    @Test func `each token gives its person's role and name`() throws {
        for (token, name, role) in [
            ("admin-token", "admin", AdminRole.admin), ("viewer-token", "viewer", .viewer),
            ("alice-token", "alice", .operator),
        ] {
            let caller = try Self.caller([("Authorization", "Bearer \(token)")])
            #expect(caller?.name == name && caller?.role == role)
            #expect(caller?.remote == "203.0.113.9")
        }
        #expect(try Self.caller([("Authorization", "Bearer ")]) == nil)
        #expect(try Self.caller([("Authorization", "Bearer alice")]) == nil)
    }

    @Test func `a trusted proxy's name is believed, and nobody else's`() throws {
        let named = [("X-Forwarded-User", "bob@shop.example")]
        let bob = try Self.caller(named, from: "10.1.2.3")
        #expect(bob?.name == "bob@shop.example" && bob?.role == .viewer)
        #expect(try Self.caller(named, from: "192.0.2.1") == nil)
        // The proxy's own bearer, such as an ID token, does not matter.
        let both = named + [("Authorization", "Bearer admin-token")]
        #expect(try Self.caller(both, from: "10.1.2.3")?.name == "bob@shop.example")
        // Through another client, the header has no effect, and the token counts.
        #expect(try Self.caller(both, from: "192.0.2.1")?.name == "admin")
    }

    @Test func `names that are not listed need a role of others`() throws {
        let named = [("X-Forwarded-User", "carol")]
        let error = #expect(throws: Problem.self) { try Self.caller(named, from: "10.1.2.3") }
        #expect(error?.code == "identity_unknown" && error?.status == 403)
        let carol = try Self.caller(named, from: "10.1.2.3", others: .viewer)
        #expect(carol?.name == "carol" && carol?.role == .viewer)
        for name in ["admin", "local", "ipnd"] {
            #expect(throws: Problem.self) {
                try Self.caller(
                    [("X-Forwarded-User", name)], from: "10.1.2.3", others: .viewer)
            }
        }
    }

    /// A proxy that passes on the client's own header beside its own sends two.
    @Test(arguments: [["bob@shop.example", "alice"], [""], ["a b"], ["a\u{e9}"]])
    func `a header that does not name one person is refused`(_ values: [String]) throws {
        let fields = values.map { ("X-Forwarded-User", $0) }
        let error = #expect(throws: Problem.self) {
            try Self.caller(fields, from: "10.1.2.3", others: .admin)
        }
        #expect(error?.code == "identity_invalid")
    }

    /// A page whose name resolves to this machine can send any header, but not another host.
    @Test func `with a proxy's header the host must be known`() throws {
        func isTrusted(_ host: String, _ fields: [(String, String)]) throws -> Bool {
            Self.access().trustsHost(
                of: Self.request([("Host", host)] + fields), try Self.context("10.1.2.3"))
        }
        let named = [("X-Forwarded-User", "bob@shop.example")]
        #expect(try isTrusted("ops.shop.example", named))
        #expect(try !isTrusted("evil.example", named))
        #expect(try isTrusted("evil.example", [("Authorization", "Bearer x")]))
    }

    @Test func `roles differ in what they see and do`() {
        #expect(AdminRole.allCases.map(\.mayAct) == [true, true, false])
        #expect(AdminRole.allCases.map(\.seesPersonalData) == [true, false, false])
        #expect(AdminRole.allCases.map(\.seesAudit) == [true, false, false])
    }
}
