import HTTP
import Store

/// A request in the words of the audit trail. Requests that show no personal data and change
/// nothing have none.
package struct AuditedRequest: Equatable {
    package var what: AuditEntry.What
    package var on: String?

    package init(_ what: AuditEntry.What, on subject: String? = nil) {
        self.what = what
        on = subject
    }

    init?(_ route: Route, _ request: Request, by caller: AdminCaller) {
        let isReading = Route.reading.contains(request.method)
        if isReading, !caller.seesPersonalData { return nil }
        let query = request.query.map { String(decoding: $0, as: UTF8.self) } ?? ""
        switch route {
        case .healthz, .readyz, .metrics, .destinations, .deliveries: return nil
        case .orders:
            let isExport = OrderListRoutes.form(for: request) != nil
            self.init(isExport ? .exportOrders : .listOrders, on: query)
        case .events: self.init(.readEvents, on: query)
        case .audit: self.init(.readAudit, on: query)
        case .order(let name): self.init(isReading ? .readOrder : .expect, on: name.subject)
        case .inquire(let name): self.init(.inquire, on: name.subject)
        case .backfill(let endpoint): self.init(.backfill, on: endpoint)
        case .resolve(let name): self.init(.resolve, on: name.subject)
        case .correct(let name), .expectation(let name): self.init(.correct, on: name.subject)
        case .split(let name): self.init(.split, on: name.subject)
        case .erase(let name): self.init(.erase, on: name.subject)
        case .erasures: self.init(.erase)
        case .destination(let name, let command):
            switch command {
            case .pause: self.init(.pause, on: name)
            case .resume: self.init(.resume, on: name)
            case .test: self.init(.test, on: name)
            }
        case .change(let change):
            switch change {
            case .retry: self.init(.retry, on: query)
            case .resolve: self.init(.resolveDeliveries, on: query)
            case .resend: self.init(.resend, on: query)
            }
        }
    }
}

extension OrderName {
    /// The order in the audit trail.
    package var subject: String { "\(endpoint)/\(reference)" }
}
