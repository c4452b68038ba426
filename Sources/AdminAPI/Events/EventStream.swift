import HTTP
import HTTPServer
import Platform
import Store

/// One consumer of server-sent events
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
///
/// It writes only as fast as its client reads; meanwhile the records stay in the journal, so a slow
/// client costs the memory of one part, which clients that wait for the same part share. A client
/// that is dropped (`limits.answersBytesMax`) resumes with `Last-Event-ID`.
struct EventStream: Sendable {
    let feed: EventFeed
    let commitFeed: CommitFeed
    let clock: any Clock
    let presence: ClientPresence
    /// False for viewers.
    let showsAll: Bool

    /// Seconds of silence before a comment is sent, so that proxies keep the connection and both
    /// ends notice when it is gone.
    static let heartbeatSeconds = 15
    private static let countMax = 200
    /// Most bytes of one part: little, because each slow client may hold one.
    private static let partBytesMax = 256 << 10
    /// Largest record that is copied into a common piece; larger ones are sent as they are.
    private static let copiedBytesMax = 4096

    /// Runs until the client goes or the server stops. Throws when the client does not read.
    func run(after start: UInt64, to writer: any BodyWriter) async throws {
        var after = start
        try await writer.write(Array(": ipnd events\nretry: 2000\n\n".utf8))
        while !presence.hasEnded {
            let watch = commitFeed.watchRecords()
            let part = try await LongPoll.wait(
                watch, seconds: Double(Self.heartbeatSeconds), clock, presence
            ) {
                try await feed.page(
                    after: after, limit: Self.countMax, bytesMax: Self.partBytesMax
                ) { page in
                    page.records.isEmpty ? nil : (pieces: encode(page), next: page.next)
                }
            }
            if let part {
                try await writer.write(part.pieces)
                after = part.next
            } else if commitFeed.isClosed {
                return
            } else {
                try await writer.write(Array(":\n\n".utf8))
            }
        }
    }

    private func encode(_ page: RecordPage) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var bytes: [UInt8] = []
        var opener = feed.opener(showsAll)
        if let gap = page.gap {
            bytes.append(contentsOf: "event: gap\ndata: ".utf8)
            bytes.append(contentsOf: GapAnswer(gap).json())
            bytes.append(contentsOf: "\n\n".utf8)
        }
        for record in page.records {
            let shown = record.shown(whole: showsAll, &opener)
            bytes.append(contentsOf: "id: \(record.sequence)\ndata: ".utf8)
            if shown.count > Self.copiedBytesMax {
                pieces += [bytes, shown]
                bytes = []
            } else {
                bytes.append(contentsOf: shown)
            }
            bytes.append(contentsOf: "\n\n".utf8)
        }
        pieces.append(bytes)
        return pieces
    }
}
