import Bytes
import HTTP
import Store
import Testing

@testable import AdminAPI

/// An order's reference in paths and queries.
@Suite struct OrderPathTests {
    @Test(arguments: [
        ("A-1", "orders/e/A-1"), ("a b", "orders/e/a%20b"), ("-", "orders/e/-"),
        ("...", "orders/e/..."), (".", "orders/e/-?reference=."), ("..", "orders/e/-?reference=.."),
        ("a/b", "orders/e/-?reference=a%2Fb"), ("?", "orders/e/%3F"), ("~", "orders/e/~"),
    ])
    func `a reference survives a round trip`(_ reference: String, _ path: String) throws {
        let name = OrderName(endpoint: "e", reference: reference)
        #expect(OrderPath.of(name) == path)
        #expect(try Self.route(path).0 == .order(name))
        let act = OrderPath.of(name, act: "inquire")
        #expect(try Self.route(act).0 == .inquire(name))
    }

    @Test func `the query is used only if the path refers to it`() throws {
        #expect(try Self.route("orders/e/A?reference=B").1 == "reference=B")
        let both = try Self.route("orders/e/-?wait=5&reference=a+b&offset=1")
        #expect(both.0 == .order(OrderName(endpoint: "e", reference: "a b")))
        #expect(both.1 == "wait=5&offset=1")
        #expect(throws: Problem.self) { try Self.route("orders/e/-?reference=") }
        #expect(throws: Problem.self) { try Self.route("orders/e/-?reference=%FF") }
        #expect(
            try Self.route("orders/e/%2D?reference=B").0
                == .order(OrderName(endpoint: "e", reference: "-")))
    }

    /// The route, and the rest of the query.
    private static func route(_ place: String) throws -> (Route, String) {
        let target = Array("/\(place)".utf8)[...]
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        let (route, request) = try Route.of(
            Request(
                method: .get, target: target, path: target[..<(mark ?? target.endIndex)],
                query: mark.map { target[($0 + 1)...] }, version: .http11, fields: [], body: [],
                keepAlive: true))
        return (route, String(decoding: request.query ?? [], as: UTF8.self))
    }
}
