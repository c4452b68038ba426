import HTTP
import Inquiry
import JSON
import Payments
import Providers
import Store

/// `POST /orders/{endpoint}/{reference}/inquire`: asks the provider at once and answers with what
/// came of it. Silence is an answer, too: 200, and the verdict says so.
struct InquiryRoutes: Sendable {
    /// Nil where no endpoint has an `inquiry`.
    let service: InquiryService?
    let store: any Store
    let acts: ActRecorder

    func inquire(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: ["reason", "patient", "checkout"])
        let reason = try ActReason.read(parameters)
        let isPatient = try parameters.flag("patient")
        let checkout = parameters["checkout"]
        if let checkout, !checkout.isWord {
            throw parameters.invalid("checkout", "the id that the provider gave it")
        }
        try name.checkReference()
        guard let service else { throw Problem(.notConfigured) }
        let permit: InquiryPermit
        let report: InquiryReport
        let view: OrderView?
        do throws(InquiryRefusal) {
            permit = try service.permit(name, isPatient: isPatient)
        } catch {
            throw Problem(error)
        }
        // What is refused so far was never asked, and is no act.
        try await acts.note(.init(kind: .inquire, caller: caller, reason: reason), of: name)
        do throws(InquiryRefusal) {
            report = try await service.ask(permit, checkout: checkout)
        } catch {
            throw Problem(error)
        }
        do throws(ReadFailure) {
            view = try await store.order(name)
        } catch {
            throw Problem(error)
        }
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        report.writeMembers(to: &writer)
        if let status = view?.order.status {
            writer.key("status")
            writer.string(status.rawValue)
        }
        writer.endObject()
        return .json(200, writer.bytes)
    }
}

extension InquiryReport {
    func writeMembers(to writer: inout JSONWriter) {
        for (name, text) in [
            ("verdict", verdict.rawValue), ("trust", trust.rawValue), ("reason", reason),
            ("detail", detail),
        ] {
            writer.key(name)
            writer.string(text)
        }
        writer.key("facts")
        writer.integer(facts)
        writer.key("recorded")
        writer.beginArray()
        for sequence in recorded { writer.integer(Int64(clamping: sequence)) }
        writer.endArray()
        writer.key("conflicts")
        writer.integer(conflicts)
        if let seconds = retryAfterSeconds {
            writer.key("retryAfterSeconds")
            writer.integer(Int64(seconds.rounded(.up)))
        }
    }
}

extension Problem {
    init(_ refusal: InquiryRefusal) {
        switch refusal {
        case .notConfigured:
            self.init(
                404, "inquiry_not_configured",
                "the configuration has no endpoint of this name with an `inquiry`")
        case .tooSoon(let seconds):
            self.init(
                429, "inquiry_too_soon",
                "this order was asked about a moment ago; providers limit such questions")
            retryAfterSeconds = max(1, Int(seconds.rounded(.up)))
        case .unreadable(let failure): self.init(failure)
        case .notStored(let refusal):
            self = .unavailable(refusal.reason, "the answer could not be made durable; try again")
        }
    }
}
