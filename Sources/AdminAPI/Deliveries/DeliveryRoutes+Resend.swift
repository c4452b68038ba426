import Delivery
import HTTP
import Payments
import Records
import Store

/// `POST /deliveries/resend`: delivers recorded events again, of one order, a period or a filter.
extension DeliveryRoutes {
    private static let selections = ["reference", "sequence", "from", "to", "endpoint", "status"]
    static let resendParameters = ["destination"] + selections

    func resend(_ request: Request, by caller: AdminCaller) async throws(Problem) -> Response {
        let parameters = try QueryParameters(
            request, known: Self.resendParameters + ["dryRun", "reason"])
        let reason = try ActReason.read(parameters)
        let answer = try await resend(
            parameters, isDry: parameters.flag("dryRun"), reason: reason, by: caller)
        return .json(200, answer.json())
    }

    /// Throws `selection_missing` without a selection: the whole record is never sent by mistake.
    func resend(
        _ parameters: QueryParameters, isDry: Bool, reason: String, by caller: AdminCaller
    ) async throws(Problem) -> DeliveryChangeAnswer {
        guard Self.selections.contains(where: { parameters[$0] != nil }) else {
            throw Problem(
                400, "selection_missing",
                "say which events: \(Self.selections.joined(separator: ", "))")
        }
        let query = try await resendQuery(parameters)
        var answer = DeliveryChangeAnswer()
        guard let service else { return answer }
        do throws(DeliveryCommandFailure) {
            answer.matched = try await service.resend(query, isDry: true).matched
        } catch {
            throw await problem(error)
        }
        guard !isDry, answer.matched > 0 else { return answer }
        let draft = ActRecorder.Draft(
            kind: .resend, caller: caller, reason: reason,
            parameters: Self.resendParameters.compactMap { name in
                parameters[name].map { .init(name, $0) }
            })
        if let reference = parameters["reference"] {
            try await acts.note(draft, ofAll: reference)
        } else {
            try await acts.note(draft)
        }
        do throws(DeliveryCommandFailure) {
            answer.changed = try await service.resend(query, isDry: false).changed
        } catch {
            throw Problem(error)
        }
        return answer
    }

    private func resendQuery(_ parameters: QueryParameters) async throws(Problem) -> ResendQuery {
        var query = ResendQuery()
        query.destination = parameters["destination"]
        query.endpoint = parameters["endpoint"]
        for name in ["destination", "reference", "endpoint", "status"] {
            if parameters[name]?.utf8.isEmpty == true {
                throw parameters.invalid(name, "not empty")
            }
        }
        if let word = parameters["status"] {
            guard OrderStatus(rawValue: word) != nil else {
                let known = OrderStatus.allCases.map(\.rawValue).joined(separator: ", ")
                throw parameters.invalid("status", "one of: \(known)")
            }
            query.status = word
        }
        query.from = try parameters.time("from")
        query.to = try parameters.time("to")
        if let sequence = try parameters.integer("sequence", in: 1...UInt64(Int64.max)) {
            query.sequences = [sequence]
        }
        if let reference = parameters["reference"] {
            let found: [OrderView]
            do throws(ReadFailure) {
                found = try await acts.store.orders(
                    knownAs: reference, endpoint: parameters["endpoint"])
            } catch {
                throw Problem(error)
            }
            let all = Set(found.flatMap(\.sequences))
            query.sequences = (query.sequences.map { all.intersection($0) } ?? all).sorted()
        }
        return query
    }
}
