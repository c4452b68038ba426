import Payments
import Platform
import Providers

/// Notices when an endpoint could not take notifications for too long, and reads the provider's
/// list for that time.
actor BackfillWorker {
    /// Runs at low priority, so that it never delays the intake.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        BackgroundExecutor.shared.asUnownedSerialExecutor()
    }

    nonisolated let target: InquiryTarget
    private let service: InquiryService
    private let surroundings: BackfillSurroundings
    private let clock: any Clock
    private let notice: @Sendable (BackfillNotice) -> Void
    private var bell: TurnBell

    /// Nil while another instance reads, and before the mark is read.
    private var plan: BackfillPlan?
    /// The mark as it is stored.
    private var stored: String?
    private var isOurs = false
    /// The span as it was when its first page was read, the next page, and the sum of the pages.
    private var reading: (span: BackfillMark.Span, cursor: String?, sum: BackfillReport)?
    private var nextTick: Int64 = 0
    private var nextPage: Int64 = 0
    private var failures = 0
    private var trouble: String?
    private var unmarked: String?
    private var recorded = 0
    private var isStopping = false

    /// Longest pause between two looks; a tenth of the shortest gap, if that is less.
    private static let tickMicrosecondsMax: Int64 = 30_000_000
    private static let retryMicroseconds: Int64 = 10_000_000
    /// The pause after a failure, which doubles with each.
    private static let failureSeconds: ClosedRange<Double> = 30...1800

    init(
        _ target: InquiryTarget, service: InquiryService, surroundings: BackfillSurroundings,
        clock: any Clock, notice: @escaping @Sendable (BackfillNotice) -> Void
    ) {
        self.target = target
        self.service = service
        self.surroundings = surroundings
        self.clock = clock
        self.notice = notice
        bell = TurnBell(clock: clock)
    }

    /// Reads until `stop` is called.
    func run() async {
        bell.ring()
        for await _ in bell.rings {
            if isStopping { break }
            await turn()
        }
        if isOurs { await surroundings.turns.release(target.endpoint) }
        isOurs = false
        bell.cancel()
    }

    /// Ends after the page that is being read. The rest is read after the next start.
    func stop() {
        isStopping = true
        bell.ring()
    }

    func status() -> BackfillStatus {
        var status = BackfillStatus(endpoint: target.endpoint, isServed: plan != nil)
        status.trouble = trouble ?? unmarked
        status.recorded = recorded
        let open = plan?.mark.spans.reduce(0) {
            $0 + $1.until.microseconds - $1.since.microseconds
        }
        status.openSeconds = Double(open ?? 0) / 1e6
        return status
    }

    private var now: Int64 { clock.wallMicroseconds }
    private var time: Timestamp { Timestamp(microseconds: now) }

    private func turn() async {
        guard await hasTurn() else { return bell.ring(at: now + Self.retryMicroseconds) }
        // The clock may have been set back.
        nextTick = min(nextTick, now + tickMicroseconds)
        if now >= nextTick { await tick() }
        if plan?.mark.spans.isEmpty == false, now >= nextPage { await readPage() }
        guard !isStopping else { return }
        let isReading = plan?.mark.spans.isEmpty == false
        bell.ring(at: isReading ? min(nextTick, nextPage) : nextTick)
    }

    private func hasTurn() async -> Bool {
        if isOurs, surroundings.turns.holds(target.endpoint) { return true }
        plan = nil
        reading = nil
        nextTick = 0
        do throws(InquiryTurnFailure) {
            isOurs = try await surroundings.turns.take(target.endpoint) {}
        } catch {
            isOurs = false
        }
        return isOurs
    }

    // MARK: Gaps

    private var gapMicroseconds: Int64 { Int64((target.backfillAfterGapSeconds ?? 0) * 1e6) }
    private var tickMicroseconds: Int64 { min(gapMicroseconds / 10, Self.tickMicrosecondsMax) }

    private func tick() async {
        nextTick = now + tickMicroseconds
        guard surroundings.isAccepting(), let store = surroundings.store() else { return }
        if plan == nil {
            do throws(BackfillFailure) {
                stored = try await surroundings.marks.read(target.endpoint)
            } catch {
                return isUnmarked(error)
            }
            let mark = stored.flatMap { BackfillMark($0) }
            plan = BackfillPlan(
                mark, store: store, gapMicroseconds: gapMicroseconds,
                daysMax: target.lister?.daysMax ?? 0, now: time)
            reading = nil
            if let mark, mark.store != store, let span = plan?.mark.spans.first { report(span) }
        }
        if let span = plan?.tick(time) { report(span) }
        await keep()
    }

    private func report(_ span: BackfillMark.Span) {
        notice(.gap(since: span.since.rfc3339, until: span.until.rfc3339))
        let days = Int64(target.lister?.daysMax ?? 0) * 86_400_000_000
        if span.until.microseconds - span.since.microseconds >= days {
            notice(.tooOld(daysMax: target.lister?.daysMax ?? 0))
        }
    }

    private func keep() async {
        guard let text = plan?.mark.text, text != stored else { return }
        do throws(BackfillFailure) {
            guard
                try await surroundings.marks.write(text, of: target.endpoint, after: stored)
            else {
                // Another instance wrote it: read it again.
                plan = nil
                nextTick = now + Self.retryMicroseconds
                return
            }
            stored = text
            unmarked = nil
        } catch {
            isUnmarked(error)
        }
    }

    private func isUnmarked(_ failure: BackfillFailure) {
        if unmarked != failure.detail { notice(.unmarked(failure.detail)) }
        unmarked = failure.detail
    }

    // MARK: The list

    private func readPage() async {
        guard let first = plan?.mark.spans.first else { return }
        var reading = reading ?? (first, nil, BackfillReport(verdict: .answered))
        let report: BackfillReport
        do throws(InquiryRefusal) {
            report = try await service.backfill(
                target.endpoint, since: reading.span.since, until: reading.span.until,
                cursor: reading.cursor)
        } catch {
            switch error {
            case .tooSoon(let seconds): return pause(seconds)
            case .notConfigured, .notListed: return pause(Self.failureSeconds.upperBound)
            case .unreadable, .notStored:
                return pause(Double(Self.retryMicroseconds) / 1e6)
            }
        }
        guard plan != nil else { return }
        guard report.verdict == .answered else { return failed(report) }
        failures = 0
        trouble = nil
        nextPage = 0
        reading.sum.add(report)
        recorded += report.recorded.values.reduce(0, +)
        reading.cursor = report.next
        if report.next == nil {
            self.reading = nil
            plan?.finish()
            notice(.finished(reading.sum))
            await keep()
        } else {
            self.reading = reading
            if let earliest = report.earliest { plan?.advance(to: earliest) }
        }
    }

    private func failed(_ report: BackfillReport) {
        if trouble != report.reason {
            notice(.failed(reason: report.reason, detail: report.detail))
        }
        trouble = report.reason
        // A cursor may have become invalid.
        reading = nil
        let usual = Self.failureSeconds.lowerBound * Double(1 << min(failures, 10))
        failures += 1
        pause(report.retryAfterSeconds ?? min(usual, Self.failureSeconds.upperBound))
    }

    private func pause(_ seconds: Double) { nextPage = now + Int64(seconds * 1e6) + 1 }
}

/// The server that a backfill runs in, as far as it matters.
package struct BackfillSurroundings: Sendable {
    package var marks: any BackfillMarks
    package var turns: any InquiryTurns
    /// The store's identity; nil while it is unknown.
    package var store: @Sendable () -> String?
    /// Whether notifications can be recorded now.
    package var isAccepting: @Sendable () -> Bool

    package init(
        marks: any BackfillMarks, turns: any InquiryTurns,
        store: @escaping @Sendable () -> String?, isAccepting: @escaping @Sendable () -> Bool
    ) {
        self.marks = marks
        self.turns = turns
        self.store = store
        self.isAccepting = isAccepting
    }
}
