import Providers
import Store
import Telemetry

/// The spans of inquiries.
extension WorkTracing {
    /// Runs the questions about an order within a span.
    func inquiry(
        about name: OrderName, _ target: InquiryTarget,
        _ ask: () async throws(InquiryRefusal) -> InquiryReport
    ) async throws(InquiryRefusal) -> InquiryReport {
        try await trace("inquiry \(target.endpoint)") { span in
            span.note(target)
            span.note("ipnd.reference", name.reference)
            let outcome = await result(ask)
            switch outcome {
            case .success(let report):
                span.note("ipnd.records", report.recorded.count)
                span.note(report.verdict, report.reason)
            case .failure(let refusal): span.note(refusal)
            }
            return outcome
        }.get()
    }

    /// Runs the reading of a page of the provider's events within a span.
    func backfill(
        of target: InquiryTarget, _ read: () async throws(InquiryRefusal) -> BackfillReport
    ) async throws(InquiryRefusal) -> BackfillReport {
        try await trace("backfill \(target.endpoint)") { span in
            span.note(target)
            let outcome = await result(read)
            switch outcome {
            case .success(let report):
                span.note("ipnd.records", report.recorded.values.reduce(0, +))
                span.note(report.verdict, report.reason)
            case .failure(let refusal): span.note(refusal)
            }
            return outcome
        }.get()
    }

    private func result<Report>(
        _ work: () async throws(InquiryRefusal) -> Report
    ) async -> Result<Report, InquiryRefusal> {
        do throws(InquiryRefusal) { return .success(try await work()) } catch {
            return .failure(error)
        }
    }
}

extension WorkSpan {
    fileprivate func note(_ target: InquiryTarget) {
        note("ipnd.endpoint", target.endpoint)
        note("ipnd.provider", target.provider)
        note("url.full", target.url.origin)
    }

    fileprivate func note(_ verdict: InquiryVerdict, _ reason: String) {
        note("ipnd.verdict", verdict.rawValue)
        switch verdict {
        case .answered, .absent: note("ipnd.reason", reason)
        case .retry, .denied, .untrusted, .unreadable: fail(reason)
        }
    }

    fileprivate func note(_ refusal: InquiryRefusal) {
        switch refusal {
        case .notConfigured: fail("not_configured")
        case .notListed: fail("not_listed")
        case .tooSoon: fail("too_soon")
        case .unreadable(let failure): fail(failure.reason)
        case .notStored(let refusal): fail(refusal.reason)
        }
    }
}
