import HTTP
import Inquiry
import Payments
import Providers
import Store

/// `POST /orders/{endpoint}/{reference}/inquire`: asks the provider at once and returns the result.
/// A provider that does not answer is a result too: 200, with the verdict `retry`.
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
        let answer = try await inquire(
            name, reason: reason, isPatient: isPatient, checkout: checkout, by: caller)
        return .json(200, answer.json())
    }

    /// - Parameters:
    ///   - isPatient: Refused also while the endpoint's rate limit leaves no room.
    ///   - checkout: Ask by this id of a checkout.
    func inquire(
        _ name: OrderName, reason: String, isPatient: Bool = false, checkout: String? = nil,
        by caller: AdminCaller
    ) async throws(Problem) -> InquiryReportAnswer {
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
        // A refused inquiry was never sent and is no act.
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
        return InquiryReportAnswer(report, status: view?.order.status)
    }
}

/// `POST /endpoints/{endpoint}/backfill`: reads one page of the provider's list of events.
extension InquiryRoutes {
    func backfill(_ endpoint: String, _ request: Request) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: ["since", "until", "cursor"])
        guard let since = try parameters.time("since") else {
            throw parameters.invalid("since", "the time of the first events")
        }
        // A time before `since` is a period without events.
        guard let until = try parameters.time("until") else {
            throw parameters.invalid("until", "the time of the last events")
        }
        guard let service else { throw Problem(.notConfigured) }
        do throws(InquiryRefusal) {
            let report = try await service.backfill(
                endpoint, since: since, until: until, cursor: parameters["cursor"])
            return .json(200, BackfillAnswer(report).json())
        } catch {
            throw Problem(error)
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
        case .notListed:
            self.init(
                404, "events_not_listed", "the endpoint's provider has no list of events to read")
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
