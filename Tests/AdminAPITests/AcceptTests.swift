import Bytes
import HTTP
import Testing

@testable import AdminAPI

@Suite struct AcceptTests {
    static let offered = ["application/json", "text/csv", "application/x-ndjson"]

    @Test(arguments: [
        ("", 0), ("*/*", 0), ("text/csv", 1), ("text/*", 1), ("TEXT/CSV", 1),
        ("application/*", 0), ("application/x-ndjson, */*", 2), ("*/*, text/csv;q=0.5", 0),
        ("text/csv;q=0.2, application/x-ndjson; q=0.9", 2), ("text/csv;q=0", 0), ("image/png", 0),
    ])
    func `the best match is chosen`(_ accept: String, _ index: Int) {
        #expect(Accept.choose(.get("/orders", [("Accept", accept)]), from: Self.offered) == index)
    }
}

extension Request {
    /// A GET, as the parser returns it.
    static func get(_ target: String, _ fields: [(String, String)] = []) -> Request {
        let bytes = Array(target.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        return Request(
            method: .get, target: bytes[...], path: bytes[..<(mark ?? bytes.endIndex)],
            query: mark.map { bytes[($0 + 1)...] }, version: .http11,
            fields: fields.map { Header($0, $1) },
            body: [], keepAlive: true)
    }
}
