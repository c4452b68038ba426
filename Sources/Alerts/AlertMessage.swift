import Bytes
import HTTP
import JSON
import Payments

/// One message about a cause: that it began, lasts or has grown, or that it ended.
package struct AlertMessage: Sendable, Equatable {
    package enum State: String, Sendable {
        case raised, resolved
        /// An example, to try the way.
        case test
    }

    /// The same at every attempt and in every channel, so that a receiver can drop repetitions.
    package var id: String
    package var state: State
    package var cause: AlertCause
    /// When the cause began, and when this was noticed, in seconds since 1970.
    package var since: Int
    package var time: Int
    /// The address of the pages; ends with `/`.
    package var pages: String?

    package init(
        id: String, _ state: State, _ cause: AlertCause, since: Int, time: Int, pages: String?
    ) {
        self.id = id
        self.state = state
        self.cause = cause
        self.since = since
        self.time = time
        self.pages = pages
    }

    /// An example.
    package static func example(id: String, time: Int, pages: String?) -> AlertMessage {
        let cause = AlertCause(
            .review, count: 1, summary: "This is an example of an alert",
            advice: "Nothing is to be done.", screen: "now")
        return AlertMessage(id: id, .test, cause, since: time, time: time, pages: pages)
    }

    package var link: String? { pages.map { "\($0)\(cause.screen)" } }

    /// The sentence that a person reads first.
    package var headline: String {
        switch state {
        case .raised: cause.summary
        case .resolved: "Resolved: \(cause.summary)"
        case .test: "Test: \(cause.summary)"
        }
    }

    /// The body of a webhook. `text` is what Slack, Mattermost and Google Chat show.
    package var json: [UInt8] {
        JSONWriter.object { json in
            json.member("text", link.map { "\(headline)\n\(cause.advice)\n\($0)" } ?? text)
            json.member("type", "alert.\(state.rawValue)")
            json.member("id", id)
            json.member("timestamp", Self.timestamp(time).rfc3339)
            json.object("alert") { json in
                json.member("kind", cause.kind.rawValue)
                json.member("subject", cause.subject)
                json.member("count", ifPresent: cause.count)
                json.member("since", Self.timestamp(since).rfc3339)
                json.member("summary", cause.summary)
                json.member("advice", cause.advice)
                json.member("link", ifPresent: link)
            }
        }
    }

    private var text: String { "\(headline)\n\(cause.advice)" }

    /// The message as mail (RFC 5322), with lines that end with LF, as sendmail(8) takes them.
    package func mail(from: String, to: [String]) -> [UInt8] {
        let date = String(
            decoding: HTTPDate.bytes(secondsSince1970: time).dropLast(3), as: UTF8.self)
        let host = from.split(separator: "@").last.map(String.init) ?? "localhost"
        let head = [
            "From: ipnd <\(from)>", "To: \(to.joined(separator: ", "))",
            "Subject: \(Self.encoded("[ipnd] \(headline)"))", "Date: \(date)+0000",
            "Message-ID: <\(id).\(state.rawValue)@\(host)>", "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: 8bit",
        ]
        var body = ["\(headline).", "", cause.advice]
        body += ["", "Since \(Self.timestamp(since).rfc3339)"]
        if let link { body += [link] }
        return Array((head + [""] + body).joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
    }

    /// A subject with other characters than ASCII as encoded words (RFC 2047 §2).
    private static func encoded(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard !isPlain else { return text }
        var words: [String] = []
        var part: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // An encoded word has at most 75 characters, 12 of which are not the text's.
            if part.count + bytes.count > 45 {
                words.append("=?utf-8?B?\(Base64.encode(part))?=")
                part = []
            }
            // A line break would begin another header.
            part += scalar.value < 0x20 || scalar.value == 0x7F ? [0x20] : bytes
        }
        words.append("=?utf-8?B?\(Base64.encode(part))?=")
        return words.joined(separator: "\n ")
    }

    private static func timestamp(_ seconds: Int) -> Timestamp {
        Timestamp(microseconds: Int64(seconds) * 1_000_000)
    }
}
