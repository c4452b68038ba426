import Foundation
import TLS
import TestSupport

/// Sends one corpus entry over a separate connection and checks the answers.
struct CorpusExchange {
    struct Way: Sendable, CustomStringConvertible {
        var usesTLS: Bool
        var isSplit: Bool
        var description: String {
            (usesTLS ? "TLS" : "TCP") + (isSplit ? ", one byte at a time" : ", whole")
        }
    }

    struct Failure: Error { let what: String }

    let entry: CorpusCase
    let way: Way
    let port: UInt16

    /// Maximum wait for an answer, as a safeguard only.
    private static let patience = 60.0
    /// Time to watch a connection for unexpected answers.
    private static let grace = 0.15
    /// Time to watch an incomplete request.
    private static let watch = 0.5

    /// Returns the error; nil if the server behaved correctly.
    func run(_ client: TLSClient?) throws -> String? {
        let wire = try Wire(port: port, tls: client)
        let bytes = try entry.bytes()
        let heads = Set(entry.head ?? [])
        let wanted = entry.isRefused ? (entry.firstOK ?? 0) + 1 : max(1, entry.responses)
        let pause =
            entry.pauseBeforeBody == true
            ? (bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? -1) : -1
        var sent = 0
        var received: [UInt8] = []
        var lastEvent = Date()
        var pauseBegan: Date?
        while !wire.isEnded {
            let stream = AnswerStream(received, heads: heads, isEnded: false)
            if sent == pause, stream.interims.isEmpty, stream.answers.isEmpty {
                pauseBegan = pauseBegan ?? Date()
                if Date().timeIntervalSince(pauseBegan!) < Self.patience {
                    if try wire.receive(into: &received) { lastEvent = Date() }
                    continue
                }
            }
            if sent == pause, !stream.answers.isEmpty { sent = bytes.count }
            if sent < bytes.count {
                let end = sent < pause ? pause : bytes.count
                let step = way.isSplit ? (sent < 4096 ? 1 : 1000) : end - sent
                let count = wire.send(bytes[sent..<min(end, sent + step)])
                if count < 0 { sent = bytes.count } else { sent += count }
                if try wire.receive(into: &received, milliseconds: 0) || count > 0 {
                    lastEvent = Date()
                }
                continue
            }
            let quiet = Date().timeIntervalSince(lastEvent)
            // Waits patiently for an announced end, which costs no time if it comes.
            let awaitsEnd =
                entry.close == true || stream.answers.last?.values("connection") == ["close"]
            let limit =
                stream.answers.count >= wanted && !awaitsEnd
                ? Self.grace : entry.strict == "wait" ? Self.watch : Self.patience
            if stream.problem != nil || quiet > limit { break }
            if try wire.receive(into: &received) { lastEvent = Date() }
        }
        let stream = AnswerStream(received, heads: heads, isEnded: wire.isEnded)
        return entry.complaint(about: stream, isClosed: wire.isEnded)
    }
}
