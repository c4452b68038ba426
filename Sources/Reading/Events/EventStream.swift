import HTTP
import HTTPServer
import Store

/// One consumer of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
///
/// It writes only as fast as its client reads; meanwhile the records stay in the journal, so a slow
/// client costs nothing but its own delay.
struct EventStream: Sendable {
    let feed: EventFeed
    let announcements: Announcements
    let presence: ClientPresence

    /// A comment goes out after so long a silence, so that proxies keep the connection and both
    /// ends notice when it is gone.
    static let heartbeatSeconds = 15
    private static let countMax = 200

    /// Runs until the client goes or the server stops. Throws when the client does not read.
    func run(after start: UInt64, to writer: any BodyWriter) async throws {
        var after = start
        try await writer.write(Array(": ipnd events\nretry: 2000\n\n".utf8))
        while !presence.hasEnded {
            let watch = announcements.watchRecords()
            let page = try await Holding.hold(watch, seconds: Self.heartbeatSeconds, presence) {
                let page = try await feed.page(after: after, limit: Self.countMax)
                return page.events.isEmpty ? nil : page
            }
            if let page {
                try await writer.write(Self.encode(page))
                after = page.next
            } else if announcements.isClosed {
                return
            } else {
                try await writer.write(Array(":\n\n".utf8))
            }
        }
    }

    private static func encode(_ page: EventPage) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(page.events.reduce(0) { $0 + $1.record.count + 32 })
        if let gap = page.gap {
            bytes.append(contentsOf: "event: gap\ndata: ".utf8)
            bytes.append(contentsOf: gap.json)
            bytes.append(contentsOf: "\n\n".utf8)
        }
        for event in page.events {
            bytes.append(contentsOf: "id: \(event.sequence)\ndata: ".utf8)
            bytes.append(contentsOf: event.record)
            bytes.append(contentsOf: "\n\n".utf8)
        }
        return bytes
    }
}
