import Foundation

/// One raw connection of the corpus of requests and what must come of it (`index.json`, the
/// `strict` column).
package struct CorpusCase: Decodable, Sendable, CustomStringConvertible {
    package var name: String
    package var file: String
    package var why: String
    /// accept, reject-400, reject-other, either or wait.
    package var strict: String
    package var responses: Int
    /// The statuses that refuse it well, besides 400.
    package var status: [Int]?
    package var alsoAccept: [Int]?
    /// How many requests before the bad one are answered.
    package var firstOK: Int?
    /// Whether no answer at all is fine too.
    package var mayWait: Bool?
    package var close: Bool?
    /// No `100 Continue` may be sent.
    package var noInterim: Bool?
    package var pauseBeforeBody: Bool?
    /// What is echoed, one scalar for each octet.
    package var body: String?
    /// Which answers are to HEAD.
    package var head: [Int]?
    /// A field that an answer with this status must have.
    package var needHeaderIf: [String: String]?
    /// A field that no answer may have: the corpus tries to inject it.
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

    /// All cases; none when the index cannot be read, which `CorpusTests` refuses.
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
