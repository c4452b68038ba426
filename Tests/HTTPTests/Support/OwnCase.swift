import HTTP

/// A raw connection and its only correct outcome: like the corpus, but with the reason.
struct OwnCase: Sendable, CustomStringConvertible {
    enum Outcome: Sendable {
        /// Requests with these bodies are answered; the connection stays open.
        case echoes([String])
        /// Requests with these bodies are answered; the last answer closes.
        case echoesAndCloses([String])
        /// One request is refused, after `after` answered ones.
        case refuses(Int, String, after: Int = 0)
        /// The rest is incomplete, after `after` answered requests.
        case waits(after: Int = 0)
    }

    let name: String
    let bytes: [UInt8]
    let outcome: Outcome

    init(_ name: String, _ stream: String, _ outcome: Outcome) {
        self.name = name
        bytes = latin1(stream)
        self.outcome = outcome
    }

    /// A GET request with this target.
    static func target(_ target: String, _ outcome: Outcome) -> OwnCase {
        OwnCase("target \(target)", "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", outcome)
    }

    /// A GET request with this `Host` value.
    static func host(_ value: String, _ outcome: Outcome) -> OwnCase {
        OwnCase("host \(value)", "GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n", outcome)
    }

    /// A GET request with these lines besides `Host`, each with its line end.
    static func lines(_ name: String, _ lines: String, _ outcome: Outcome) -> OwnCase {
        OwnCase(name, "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n", outcome)
    }

    /// A POST request with these framing lines and these bytes after the head.
    static func post(
        _ name: String, _ lines: String, _ body: String, _ outcome: Outcome, version: String = "1.1"
    ) -> OwnCase {
        OwnCase(name, "POST / HTTP/\(version)\r\nHost: a\r\n\(lines)\r\n\(body)", outcome)
    }

    /// A chunked POST request with this coded body, followed by another request if it is to be
    /// accepted.
    static func chunked(_ name: String, _ body: String, _ outcome: Outcome) -> OwnCase {
        post(name, "Transfer-Encoding: chunked\r\n", body, outcome)
    }

    var description: String { name }

    /// Describes the difference from the expected outcome; nil if there is none.
    func complaint(about connection: EchoConnection) -> String? {
        let answers = connection.answers
        let bodies = answers.map { text($0.body) }
        let good: Bool
        switch outcome {
        case .echoes(let expected):
            good = bodies == expected && connection.errors.isEmpty && !connection.isClosed
        case .echoesAndCloses(let expected):
            good = bodies == expected && connection.errors.isEmpty && connection.isClosed
        case .refuses(let status, let reason, let count):
            good =
                answers.count == count + 1 && answers.last?.status == status
                && answers.last?.reason == reason && connection.isClosed
        case .waits(let count):
            good = answers.count == count && connection.errors.isEmpty && !connection.isClosed
        }
        return good ? nil : "\(answers) closed: \(connection.isClosed)"
    }
}
