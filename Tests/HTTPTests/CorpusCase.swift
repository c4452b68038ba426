import Foundation

/// One entry of the corpus's `index.json`.
struct CorpusCase: Decodable, Sendable, CustomStringConvertible {
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
    var noInterim: Bool?
    var pauseBeforeBody: Bool?
    /// What is echoed, one scalar for each octet.
    var body: String?
    /// Which answers are to HEAD.
    var head: [Int]?

    enum CodingKeys: String, CodingKey {
        case name, file, why, strict, responses, status, close, body, head
        case alsoAccept = "also_accept"
        case firstOK = "first_ok"
        case mayWait = "may_wait"
        case noInterim = "no_1xx"
        case pauseBeforeBody = "pause_before_body"
    }

    var description: String { name }

    /// The raw bytes of the connection.
    func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.directory.appending(path: file)))
    }

    private static let directory = Bundle.module.resourceURL!.appending(path: "Corpus")

    /// All cases; none when the index cannot be read, which `CorpusTests` refuses.
    static let all: [CorpusCase] = {
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
