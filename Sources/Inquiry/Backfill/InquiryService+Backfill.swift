import Payments
import Providers
import Records
import Store
import Telemetry

/// The result of reading one page of a provider's events.
package struct BackfillReport: Sendable, Equatable {
    package var verdict: InquiryVerdict
    /// The verdict's reason in snake_case; `answered` if there is nothing to explain.
    package var reason: String
    /// The reason in words.
    package var detail: String
    /// Number of events on the page.
    package var read = 0
    /// Number of them that were not known, by their kind.
    package var recorded: [String: Int] = [:]
    /// Number of new records that contradict earlier ones.
    package var conflicts = 0
    /// Days for which the provider lists its events.
    package var daysMax = 0
    /// The time of the page's earliest event; nil if the list is not newest first.
    package var earliest: Timestamp?
    /// Where the next page begins; nil after the last one.
    package var next: String?
    /// The pause that the provider asks for, within the endpoint's bound; nil if it asks for none.
    package var retryAfterSeconds: Double?

    init(verdict: InquiryVerdict, reason: String = "answered", detail: String = "") {
        self.verdict = verdict
        self.reason = reason
        self.detail = detail
    }

    /// Adds another page's numbers.
    mutating func add(_ page: BackfillReport) {
        read += page.read
        recorded.merge(page.recorded, uniquingKeysWith: +)
        conflicts += page.conflicts
    }
}

extension InquiryService {
    /// Reads one page of the provider's events, and records those that are not known as if they had
    /// been notified. Reading a page again records nothing twice.
    ///
    /// - Parameter cursor: The ``BackfillReport/next`` of the page before; nil for the first page.
    /// - Throws: ``InquiryRefusal``: the page was not read, or not all of it was recorded.
    package func backfill(
        _ endpoint: String, since: Timestamp, until: Timestamp, cursor: String?
    ) async throws(InquiryRefusal) -> BackfillReport {
        guard let target = state.withLock({ $0.targets[endpoint] }) else { throw .notConfigured }
        guard let lister = target.lister else { throw .notListed }
        if let seconds = takeToken(endpoint) { throw .tooSoon(seconds: seconds) }
        guard let tracing else {
            return try await readPage(lister, target, since, until, cursor)
        }
        return try await tracing.backfill(of: target) {
            () async throws(InquiryRefusal) in
            try await readPage(lister, target, since, until, cursor)
        }
    }

    private func readPage(
        _ lister: any EventLister, _ target: InquiryTarget, _ since: Timestamp,
        _ until: Timestamp, _ cursor: String?
    ) async throws(InquiryRefusal) -> BackfillReport {
        let endpoint = target.endpoint
        var listing = EventListing(
            since: since, until: until, cursor: cursor,
            token: state.withLock { $0.accessToken(of: endpoint) })
        let step: EventListingStep
        do throws(InquiryFailure) {
            step = try await read(&listing, lister, target)
        } catch {
            return BackfillReport(verdict: .retry, reason: error.reason, detail: error.detail)
        }
        var report: BackfillReport
        switch step {
        case .ask:
            report = BackfillReport(
                verdict: .retry, reason: "too_many_exchanges",
                detail: "the provider asks for more")
        case .none(let finding): report = self.report(finding, listing, target)
        case .page(let page):
            if let token = page.token { state.withLock { $0.keep(token, of: endpoint) } }
            report = try await record(page, listing, lister, target)
        }
        report.daysMax = lister.daysMax
        return report
    }

    private func read(
        _ listing: inout EventListing, _ lister: any EventLister, _ target: InquiryTarget
    ) async throws(InquiryFailure) -> EventListingStep {
        while listing.exchanges.count <= Self.exchangesMax {
            let step: EventListingStep
            do throws(InquiryError) {
                step = try lister.next(listing, now: wall)
            } catch {
                throw InquiryFailure(
                    reason: "request_invalid", detail: "the list cannot be asked for: \(error)")
            }
            guard case .ask(let request) = step else { return step }
            listing.append(InquiryExchange(request, try await transport.send(request, to: target)))
        }
        throw InquiryFailure(reason: "too_many_exchanges", detail: "the provider asks for more")
    }

    private func report(
        _ finding: InquiryFinding, _ listing: EventListing, _ target: InquiryTarget
    ) -> BackfillReport {
        var report = BackfillReport(
            verdict: finding.verdict, reason: finding.reason, detail: finding.detail)
        guard finding.verdict == .retry, let answer = listing.exchanges.last?.answer,
            let seconds = answer.pauseSeconds
        else { return report }
        let bounded = min(max(0, seconds), target.schedule.retryAfterSecondsMax)
        report.retryAfterSeconds = bounded
        let now = now
        state.withLock { $0.pause(target.endpoint, seconds: bounded, now: now) }
        return report
    }

    private func record(
        _ page: EventPage, _ listing: EventListing, _ lister: any EventLister,
        _ target: InquiryTarget
    ) async throws(InquiryRefusal) -> BackfillReport {
        var report = BackfillReport(verdict: .answered)
        report.next = page.next
        guard let exchange = listing.exchanges.last else { return report }
        for entry in page.entries {
            for notification in lister.notifications(in: entry) {
                report.read += 1
                if lister.isNewestFirst, let occurred = notification.occurred {
                    report.earliest = min(report.earliest ?? occurred, occurred)
                }
                let receipt = await store.record(
                    Submission(notification, in: entry, exchange, target))
                switch receipt.outcome {
                case .recorded, .ignored: report.recorded[notification.kind, default: 0] += 1
                case .conflict:
                    report.recorded[notification.kind, default: 0] += 1
                    report.conflicts += 1
                // Only a person's act is denied.
                case .duplicate, .denied: break
                case .refused(let refusal): throw .notStored(refusal)
                }
            }
        }
        return report
    }
}

extension Submission {
    /// An event of a provider's list: as its notification, with the list's request and, in place of
    /// the whole page, the entry.
    fileprivate init(
        _ notification: Notification, in entry: [UInt8], _ exchange: InquiryExchange,
        _ target: InquiryTarget
    ) {
        self.init(
            endpoint: target.endpoint, provider: target.provider, key: "tls",
            notification: notification,
            request: RecordedRequest(
                method: exchange.request.method,
                target: Array(exchange.request.target.utf8)[...],
                headers: exchange.request.recordedHeaders, body: exchange.request.body),
            inquiry: RecordedInquiry(
                trust: InquiryTrust.tls.rawValue, status: exchange.answer.status,
                headers: exchange.answer.headers, body: entry),
            peer: "", received: exchange.answer.received, trace: WorkTracing.currentPlace)
        redact(by: target.redactor)
    }
}
