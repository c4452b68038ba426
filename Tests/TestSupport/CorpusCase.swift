import Foundation

/// One raw connection of the request corpus and its required outcome (`index.json`, the `strict`
/// column).
package struct CorpusCase: Decodable, Sendable, CustomStringConvertible {
    package var name: String
    package var file: String
    package var why: String
    /// accept, reject-400, reject-other, either or wait.
    package var strict: String
    package var responses: Int
    /// Other acceptable statuses of the refusal besides 400.
    package var status: [Int]?
    package var alsoAccept: [Int]?
    /// Number of requests before the bad one that are answered.
    package var firstOK: Int?
    /// Whether sending no answer is acceptable too.
    package var mayWait: Bool?
    package var close: Bool?
    /// Whether `100 Continue` must not be sent.
    package var noInterim: Bool?
    package var pauseBeforeBody: Bool?
    /// The echoed body, one scalar per octet.
    package var body: String?
    /// Indices of the answers to HEAD requests.
    package var head: [Int]?
    /// A field that an answer with this status must have.
    package var needHeaderIf: [String: String]?
    /// A field that no answer may have, which the corpus tries to inject.
    package var noHeader: String?

    enum CodingKeys: String, CodingKey {
        case name, file, why, strict, responses, status, close, body, head
        case alsoAccept = "also_accept"
        case firstOK = "first_ok"
        case mayWait = "may_wait"
        case noInterim = "no_1xx"
        case pauseBeforeBody = "pause_before_body"
        case needHeaderIf = "need_header_if"
        case noHeader = "no_header"
    }

    package var description: String { name }
    package var isRefused: Bool { strict.hasPrefix("reject") }

    /// The raw bytes of the connection.
    package func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.directory.appending(path: file)))
    }

    private static let directory = SourceTree.url("Tests/HTTPTests/Corpus")

    /// All cases; empty if the index cannot be read, which `CorpusTests` reports.
    package static let all: [CorpusCase] = {
        struct Index: Decodable { var cases: [CorpusCase] }
        guard let data = try? Data(contentsOf: directory.appending(path: "index.json")) else {
            return []
        }
        do {
            return try JSONDecoder().decode(Index.self, from: data).cases
        } catch {
            return []
        }
    }()
}
