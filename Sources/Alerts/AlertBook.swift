import JSON

/// The causes that were reported, so that each is reported once, and the messages that were not
/// sent yet. It is kept in a file over restarts.
package struct AlertBook: Sendable, Equatable {
    /// A cause that is there, or was a moment ago.
    struct Known: Sendable, Equatable {
        var cause: AlertCause
        /// Seconds since 1970.
        var since: Int
        /// When it was last reported, and with which count; nil while it was not.
        var reported: Int?
        var reportedCount: Int?
        /// Checks in a row that did not find it.
        var missed = 0
    }

    /// A message that one channel has to send.
    package struct Outgoing: Sendable, Equatable {
        package var channel: String
        package var message: AlertMessage
        var attempts = 0
        /// Seconds since 1970 of the next attempt.
        var due: Int
    }

    /// Checks without a cause after which it has ended.
    static let missesMax = 2
    /// Messages kept while no channel works; the oldest are dropped.
    static let outgoingMax = 100
    static let knownMax = 500
    static let pauseSecondsMin = 30
    static let pauseSecondsMax = 3600

    private(set) var known: [Known] = []
    package private(set) var outgoing: [Outgoing] = []

    package init() {}

    /// The causes that were reported and last.
    package var reported: [(cause: AlertCause, since: Int)] {
        known.filter { $0.reported != nil }.map { ($0.cause, $0.since) }
    }

    /// Takes in the causes of one check, and adds the messages that they require.
    ///
    /// - Parameters:
    ///   - now: Seconds since 1970.
    ///   - id: Gives each message a new id.
    package mutating func update(
        _ causes: [AlertCause], _ settings: AlertSettings, channels: [String], now: Int,
        id: () -> String
    ) {
        for cause in causes {
            let index = known.firstIndex { $0.cause.key == cause.key }
            guard let index else {
                guard known.count < Self.knownMax else { continue }
                known.append(Known(cause: cause, since: now))
                continue
            }
            known[index].cause = cause
            known[index].missed = 0
        }
        for index in known.indices
        where !causes.contains(where: { $0.key == known[index].cause.key }) {
            known[index].missed += 1
        }
        for index in known.indices {
            guard let state = change(known[index], settings, now) else { continue }
            let message = AlertMessage(
                id: id(), state, known[index].cause, since: known[index].since, time: now,
                pages: settings.pages)
            for channel in channels {
                outgoing.append(Outgoing(channel: channel, message: message, due: now))
            }
            known[index].reported = now
            known[index].reportedCount = known[index].cause.count
        }
        known.removeAll { $0.missed >= Self.missesMax }
        if outgoing.count > Self.outgoingMax {
            outgoing.removeFirst(outgoing.count - Self.outgoingMax)
        }
    }

    /// The message that a cause requires now.
    private func change(
        _ known: Known, _ settings: AlertSettings, _ now: Int
    ) -> AlertMessage.State? {
        guard let reported = known.reported else {
            guard known.missed == 0 else { return nil }
            let wait = known.cause.kind.mustLast ? settings.failingSeconds : 0
            return now - known.since >= wait ? .raised : nil
        }
        if known.missed > 0 { return known.missed == Self.missesMax ? .resolved : nil }
        let isMore = (known.cause.count ?? 0) > (known.reportedCount ?? 0)
        if isMore, now - reported >= settings.growsSeconds { return .raised }
        return now - reported >= settings.repeatHours * 3600 ? .raised : nil
    }

    /// The messages whose next attempt is due.
    package func due(now: Int) -> [Outgoing] {
        // A clock that was set back must not hold a message for years.
        outgoing.filter { $0.due <= now || $0.due > now + Self.pauseSecondsMax }
    }

    /// Removes a message that was sent, or moves its next attempt.
    package mutating func attempted(_ item: Outgoing, isSent: Bool, now: Int) {
        let index = outgoing.firstIndex {
            $0.channel == item.channel && $0.message.id == item.message.id
        }
        guard let index else { return }
        guard !isSent else {
            outgoing.remove(at: index)
            return
        }
        outgoing[index].attempts += 1
        let doubled = Self.pauseSecondsMin << min(outgoing[index].attempts - 1, 10)
        outgoing[index].due = now + min(doubled, Self.pauseSecondsMax)
    }

    /// Removes the messages of channels that the configuration no longer has.
    package mutating func keep(channels: [String]) {
        outgoing.removeAll { !channels.contains($0.channel) }
    }
}

// MARK: - File

extension AlertBook {
    package var json: [UInt8] {
        JSONWriter.object { json in
            json.array("known") { json in
                for known in known {
                    json.object(nil) { json in
                        json.object("cause") { Self.write(known.cause, &$0) }
                        json.member("since", known.since)
                        json.member("reported", ifPresent: known.reported)
                        json.member("reportedCount", ifPresent: known.reportedCount)
                        json.member("missed", known.missed)
                    }
                }
            }
            json.array("outgoing") { json in
                for item in outgoing {
                    json.object(nil) { json in
                        json.member("channel", item.channel)
                        json.member("attempts", item.attempts)
                        json.member("due", item.due)
                        json.member("id", item.message.id)
                        json.member("state", item.message.state.rawValue)
                        json.object("cause") { Self.write(item.message.cause, &$0) }
                        json.member("since", item.message.since)
                        json.member("time", item.message.time)
                        json.member("pages", ifPresent: item.message.pages)
                    }
                }
            }
        }
    }

    private static func write(_ cause: AlertCause, _ json: inout JSONWriter) {
        json.member("kind", cause.kind.rawValue)
        json.member("subject", cause.subject)
        json.member("count", ifPresent: cause.count)
        json.member("summary", cause.summary)
        json.member("advice", cause.advice)
        json.member("screen", cause.screen)
    }

    /// Nil where the text is not that of a book.
    package init?(json bytes: [UInt8]) {
        guard let root = try? JSONDocument(parsing: bytes).root, root.kind == .object,
            let known = root["known"], let outgoing = root["outgoing"]
        else { return nil }
        for item in known.elements {
            guard let cause = item["cause"].flatMap(Self.cause), let since = item["since"]?.int
            else { continue }
            self.known.append(
                Known(
                    cause: cause, since: since, reported: item["reported"]?.int,
                    reportedCount: item["reportedCount"]?.int, missed: item["missed"]?.int ?? 0))
        }
        for item in outgoing.elements {
            guard let cause = item["cause"].flatMap(Self.cause), let since = item["since"]?.int,
                let time = item["time"]?.int, let id = item["id"]?.string,
                let state = item["state"]?.string.flatMap(AlertMessage.State.init),
                let channel = item["channel"]?.string, let due = item["due"]?.int
            else { continue }
            let message = AlertMessage(
                id: id, state, cause, since: since, time: time, pages: item["pages"]?.string)
            self.outgoing.append(
                Outgoing(
                    channel: channel, message: message, attempts: item["attempts"]?.int ?? 0,
                    due: due))
        }
    }

    private static func cause(_ json: JSONValue) -> AlertCause? {
        guard let kind = json["kind"]?.string.flatMap(AlertKind.init),
            let summary = json["summary"]?.string
        else { return nil }
        return AlertCause(
            kind, json["subject"]?.string ?? "", count: json["count"]?.int, summary: summary,
            advice: json["advice"]?.string ?? "", screen: json["screen"]?.string ?? "now")
    }
}

extension JSONValue {
    fileprivate var int: Int? { int64.flatMap { Int(exactly: $0) } }
}
