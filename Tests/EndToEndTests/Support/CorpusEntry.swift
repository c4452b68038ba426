import Foundation

/// One raw connection of the corpus and what must come of it (`index.json`, the `strict` column).
struct CorpusEntry: Decodable, Sendable {
    var name: String
    var file: String
    var why: String
    /// accept, reject-400, reject-other, either or wait.
    var strict: String
    var responses: Int
    /// The statuses that refuse it well, besides 400.
    var status: [Int]?
    var alsoAccept: [Int]?
    /// How many requests before the bad one are answered.
    var firstOK: Int?
    /// Whether no answer at all is fine too.
    var mayWait: Bool?
    var close: Bool?
    /// No `100 Continue` may be sent.
    var noInterim: Bool?
    var pauseBeforeBody: Bool?
    /// What is echoed, one scalar for each octet.
    var body: String?
    /// Which answers are to HEAD.
    var head: [Int]?
    /// A field that an answer with this status must have.
    var needHeaderIf: [String: String]?
    /// A field that no answer may have: the corpus tries to inject it.
    var noHeader: String?

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

    var isRefused: Bool { strict.hasPrefix("reject") }

    func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.folder.appending(path: file)))
    }

    /// The data lie with the parser's own tests.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../HTTPTests/Corpus").standardized

    static func all() throws -> [CorpusEntry] {
        struct Index: Decodable { var cases: [CorpusEntry] }
        let data = try Data(contentsOf: folder.appending(path: "index.json"))
        return try JSONDecoder().decode(Index.self, from: data).cases
    }
}
