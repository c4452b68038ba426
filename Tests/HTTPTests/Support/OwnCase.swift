import HTTP

/// A raw connection and its one right outcome: like the corpus, but with the reason too.
struct OwnCase: Sendable, CustomStringConvertible {
    enum Outcome: Sendable {
        /// Requests with these bodies; the connection stays open.
        case echoes([String])
        /// Requests with these bodies, and the last one closes.
        case echoesAndCloses([String])
        /// After so many requests one is refused.
        case refuses(Int, String, after: Int = 0)
        /// After so many requests the rest is not whole yet.
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

    /// A GET whose only peculiarity is its target.
    static func target(_ target: String, _ outcome: Outcome) -> OwnCase {
        OwnCase("target \(target)", "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", outcome)
    }

    /// A GET with this `Host` value.
    static func host(_ value: String, _ outcome: Outcome) -> OwnCase {
        OwnCase("host \(value)", "GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n", outcome)
    }

    /// A GET with these lines besides `Host`, each with its line end.
    static func lines(_ name: String, _ lines: String, _ outcome: Outcome) -> OwnCase {
        OwnCase(name, "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n", outcome)
    }

    /// A POST with these framing lines and what follows the head.
    static func post(
        _ name: String, _ lines: String, _ body: String, _ outcome: Outcome, version: String = "1.1"
    ) -> OwnCase {
        OwnCase(name, "POST / HTTP/\(version)\r\nHost: a\r\n\(lines)\r\n\(body)", outcome)
    }

    /// A chunked POST with this coded body, and a request behind it when it is to be accepted.
    static func chunked(_ name: String, _ body: String, _ outcome: Outcome) -> OwnCase {
        post(name, "Transfer-Encoding: chunked\r\n", body, outcome)
    }

    var description: String { name }

    /// What is wrong with how a connection took this case; nil when nothing is.
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
