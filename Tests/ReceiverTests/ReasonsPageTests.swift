import Foundation
import HTTP
import Payments
import Receiver
import Store
import TLS
import TestSupport
import Testing

/// `config/reasons.md` lists every reason code of a refused request with its status, and no other.
/// The same holds for its part about the admin API.
@Suite struct ReasonsPageTests {
    @Test func `the page of reasons matches the code`() throws {
        let rows = try Self.rows()
        let known = try Self.known()
        #expect(known.count > 120)
        #expect(known.subtracting(rows).sorted() == [], "not on the page, or with another answer")
        #expect(rows.subtracting(known).sorted() == [], "on the page, and not in the code")
    }

    @Test func `the list of codes is that of the page`() throws {
        let page = try Set(
            Self.rows().compactMap { $0.split(separator: " ").first.map(String.init) })
        #expect(Set(ReasonCodes.all) == page && ReasonCodes.all == page.sorted())
    }

    @Test func `the page lists the problems of the admin API`() throws {
        let rows = try Self.rows(ofAdmin: true)
        let known = try Self.ofAdmin()
        #expect(known.count > 40)
        #expect(known.subtracting(rows).sorted() == [], "not on the page, or with another answer")
        #expect(rows.subtracting(known).sorted() == [], "on the page, and not in the code")
    }

    /// `signature_mismatch 401` for each row; without an answer the status is 0.
    private static func rows(ofAdmin: Bool = false) throws -> Set<String> {
        let parts = try SourceTree.text("config/reasons.md").components(
            separatedBy: "\n## The admin API\n")
        try #require(parts.count == 2)
        let lines = parts[ofAdmin ? 1 : 0].split(separator: "\n")
        var rows: Set<String> = []
        for line in lines where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let code = cells[0].replacing("`", with: "")
            #expect(rows.insert("\(code) \(Int(cells[1]) ?? 0)").inserted, "twice: \(line)")
        }
        return rows
    }

    private static func known() throws -> Set<String> {
        var known = Set(HTTPError.Cause.allCases.map { "\($0.rawValue) \($0.status)" })
        known.formUnion(RoutingRefusal.allCases.map { "\($0.rawValue) \($0.status)" })
        known.formUnion(StoreRefusal.allCases.map { "\($0.reason) 503" })
        known.formUnion(
            try literals(
                of: "Sources/Receiver/Receiver.swift", #/malformed\(\s*"(\w+)"/#, 400))
        known.formUnion(
            try literals(
                of: "Sources/Receiver/Receiver.swift", #/unavailable\(\s*"(\w+)"/#, 503))
        let ends: [TLSError] = [.plainHTTP, .handshake(""), .record(""), .unexpectedEOF]
        known.formUnion(ends.map { "\($0.reason) 0" })
        known.formUnion(try literals(of: "Sources/JSON/JSONError.swift", #/"(json_\w+)"/#, 400))
        let server = "Sources/HTTPServer"
        known.formUnion(try literals(of: "\(server)/ConnectionEnd.swift", #/: "(\w+)"/#, 0))
        known.formUnion(
            try literals(of: "\(server)/ProxyProtocolHeader.swift", #/= "(proxy_\w+)"/#, 0))
        known.formUnion(try literals(of: "\(server)/Acceptor.swift", #/refused\("(\w+)"/#, 0))
        known.formUnion(
            try literals(of: "\(server)/Admission.swift", #/= "(connections_\w+)"/#, 503))
        return known.union(try ofProviders())
    }

    /// The reasons of the providers' verification, without those of inquiries.
    private static func ofProviders() throws -> Set<String> {
        let folder = SourceTree.url("Sources/Providers")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var known: Set<String> = []
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            guard !file.lastPathComponent.contains("Inquir") else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(
                of: #/\.(unauthenticated|malformed|unavailable)\(\s*"([^"]+)"/#)
            {
                let status =
                    match.1 == "malformed" ? 400 : match.1 == "unavailable" ? 503 : 401
                // The name of the field, for the two reasons that Citcon's rule lists.
                for name in ["sign", "fields"] {
                    let code = match.2.replacing(#"\(name)"#, with: name)
                    known.insert("\(code) \(status)")
                }
            }
            // Codes that are passed to a function.
            for match in text.matches(of: #/(?:unknown\(|Bytes, )"(\w+)"/#) {
                known.insert("\(match.1) 401")
            }
        }
        return known
    }

    /// The reasons of the admin API and the pages: literals, and the cases of resolutions.
    private static func ofAdmin() throws -> Set<String> {
        // Made from a conflict with `If-Match`.
        var known: Set<String> = ["order_changed 412"]
        known.formUnion(SettlementRefusal.allCases.map { "\($0.rawValue) 409" })
        for module in ["AdminAPI", "Pages", "JournalIndex", "JournalStore"] {
            let files = FileManager.default.enumerator(
                at: SourceTree.url("Sources/\(module)"), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: #/(?:Problem|init)\(\s*(\d{3}),\s*"(\w+)"/#) {
                    known.insert("\(match.2) \(match.1)")
                }
                for match in text.matches(of: #/\.unavailable\(\s*"(\w+)"/#) {
                    known.insert("\(match.1) 503")
                }
                for match in text.matches(of: #/ReadFailure\(\s*"(\w+)"([^\n]*)/#) {
                    let isLasting = match.2.contains("isTemporary: false")
                    known.insert("\(match.1) \(isLasting ? 500 : 503)")
                }
                for match in text.matches(of: #/code: "(\w+)"/#) {
                    known.insert("\(match.1) 400")
                }
            }
        }
        return known
    }

    private static func literals(
        of file: String, _ pattern: Regex<(Substring, Substring)>, _ status: Int
    ) throws -> Set<String> {
        let text = try SourceTree.text(file)
        return Set(text.matches(of: pattern).map { "\($0.1) \(status)" })
    }
}
