import Platform

/// Decides which causes the figures show. Counters are judged by their growth within ten minutes;
/// they begin at 0 with the process, as these rules do.
package struct AlertRules: Sendable {
    private struct Sample: Sendable {
        var time: MonotonicTime
        var refusals: [AlertFigures.Refusal: Int]
        var requests: [String: Int]
        var unknownPaths: [String: Int]
        var cardData: [String: Int]

        init(_ figures: AlertFigures, _ time: MonotonicTime) {
            self.time = time
            (refusals, requests) = (figures.refusals, figures.requests)
            (unknownPaths, cardData) = (figures.unknownPaths, figures.cardData)
        }
    }

    static let windowSeconds = 600
    /// Refusals that are one cause each: more reasons at one endpoint than this are an attack, and
    /// the commonest ones say so.
    static let refusalsMax = 20

    package var settings: AlertSettings
    /// The oldest one is at most the window old, but for one that is older.
    private var samples: [Sample] = []

    package init(_ settings: AlertSettings) { self.settings = settings }

    /// The causes, in the order of their kinds.
    package mutating func causes(_ figures: AlertFigures, now: MonotonicTime) -> [AlertCause] {
        // Otherwise what was refused before the first check would never be reported.
        if samples.isEmpty { samples.append(Sample(AlertFigures(), now)) }
        samples.append(Sample(figures, now))
        while samples.count > 1,
            !(now < samples[1].time.advanced(seconds: Self.windowSeconds))
        {
            samples.removeFirst()
        }
        let found = states(figures) + refusals(figures) + unknownPaths(figures) + cardData(figures)
        return found.filter { !settings.except.contains($0.kind) }
    }

    private func states(_ figures: AlertFigures) -> [AlertCause] {
        var found: [AlertCause] = []
        if let hindrance = figures.hindrance {
            found.append(
                AlertCause(
                    .storage, hindrance, summary: "Notifications are refused: \(hindrance)",
                    advice: "Providers retry for hours or days. Free the disk or mend the "
                        + "database; ipnd goes on by itself.", screen: "now"))
        }
        if let bytes = figures.availableBytes, bytes < settings.freeMiBMin << 20 {
            found.append(
                AlertCause(
                    .disk, summary: "The journal's disk has \(bytes >> 20) MiB left",
                    advice: "Archive segments (journal.retainDays) or give it a larger disk.",
                    screen: "journal"))
        }
        if let count = figures.overdue, count > 0 {
            found.append(
                AlertCause(
                    .overdue, count: count,
                    summary: "\(Self.counted(count, "expected order")) overdue",
                    advice: "Past expiry without a final status. Ask the providers about them.",
                    screen: "orders?flag=overdue"))
        }
        if let count = figures.review, count > 0 {
            found.append(
                AlertCause(
                    .review, count: count, summary: "\(Self.counted(count, "order")) in review",
                    advice: "The reports do not fit together. The order's page says why, and a "
                        + "person decides.", screen: "orders?status=review"))
        }
        return found + systems(figures)
    }

    /// The causes at destinations, providers and listeners.
    private func systems(_ figures: AlertFigures) -> [AlertCause] {
        var found: [AlertCause] = []
        for (name, count) in figures.deadLetters.sorted(by: { $0.key < $1.key }) where count > 0 {
            found.append(
                AlertCause(
                    .deadLetters, name, count: count,
                    summary: "\(name) has refused "
                        + (count == 1 ? "an event" : "\(count) events") + " at every attempt",
                    advice: "Later events of the same orders wait. Mend the cause, then retry.",
                    screen: "destinations?state=dead"))
        }
        for name in figures.failingDestinations.sorted() {
            found.append(
                AlertCause(
                    .destination, name, summary: "Every delivery to \(name) fails",
                    advice: "Nothing is lost. `ipnd deliveries test \(name)` tries it.",
                    screen: "destinations"))
        }
        for name in figures.failingInquiries.sorted() {
            found.append(
                AlertCause(
                    .inquiry, name, summary: "The provider of \(name) cannot be asked",
                    advice: "It is down, throttles, or refuses the credentials of `inquiry`. "
                        + "Notifications are not affected.", screen: "providers"))
        }
        for certificate in figures.certificates
        where certificate.secondsLeft < settings.certificateDays * 86_400 {
            let days = max(0, certificate.secondsLeft / 86_400)
            found.append(
                AlertCause(
                    .certificate, certificate.listener,
                    summary: "The certificate of \(certificate.listener) expires in "
                        + (days == 1 ? "1 day" : "\(days) days"),
                    advice: "Replace it and reload.", screen: "now"))
        }
        if figures.reloadWasRefused {
            found.append(
                AlertCause(
                    .reload, summary: "The configuration on disk is not the one that runs",
                    advice: "A reload was refused. See the log and `ipnd check`.", screen: "now"))
        }
        return found
    }

    private func refusals(_ figures: AlertFigures) -> [AlertCause] {
        guard let start = samples.first else { return [] }
        let grown = figures.refusals.map { key, count in
            (key: key, count: count - (start.refusals[key] ?? 0))
        }
        var refused: [String: Int] = [:]
        for (key, count) in grown { refused[key.endpoint, default: 0] += count }
        let notable = grown.filter { key, count in
            let all = max(
                (figures.requests[key.endpoint] ?? 0) - (start.requests[key.endpoint] ?? 0),
                refused[key.endpoint] ?? 0)
            return count >= settings.refusalsMin && count * 100 >= all * settings.refusalsPercent
        }
        let first = notable.sorted {
            ($1.count, $0.key.endpoint, $0.key.reason) < ($0.count, $1.key.endpoint, $1.key.reason)
        }
        return first.prefix(Self.refusalsMax).map { key, count in
            AlertCause(
                .refusals, "\(key.endpoint) \(key.reason)", count: count,
                summary: "\(count) requests at \(key.endpoint) were refused in ten minutes: "
                    + key.reason,
                advice: "A rotated key, a path that a proxy changes, or an attack. "
                    + "`ipnd explain` finds out which.",
                screen: "rejections?endpoint=\(key.endpoint)")
        }
    }

    private func unknownPaths(_ figures: AlertFigures) -> [AlertCause] {
        guard let start = samples.first else { return [] }
        return figures.unknownPaths.sorted { $0.key < $1.key }.compactMap { name, count in
            let grown = count - (start.unknownPaths[name] ?? 0)
            guard grown > 0 else { return nil }
            return AlertCause(
                .unknownPath, name, count: grown,
                summary:
                    "Notifications, probably for \(name), arrive at a path without an endpoint",
                advice: "A wrong URL at the provider, or a proxy that rewrites the path.",
                screen: "rejections?reason=unknown_path")
        }
    }

    private func cardData(_ figures: AlertFigures) -> [AlertCause] {
        guard let start = samples.first else { return [] }
        return figures.cardData.sorted { $0.key < $1.key }.compactMap { name, count in
            let grown = count - (start.cardData[name] ?? 0)
            guard grown > 0 else { return nil }
            return AlertCause(
                .cardData, name, count: grown,
                summary: "Notifications at \(name) contain full card numbers or security codes",
                advice: "They were removed before anything was stored. Find out why the provider "
                    + "sends them.", screen: "events?endpoint=\(name)")
        }
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun) is" : "\(count) \(noun)s are"
    }
}
