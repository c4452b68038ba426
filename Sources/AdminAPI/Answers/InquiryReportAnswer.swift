import Inquiry
import Payments

/// The result of an inquiry, as `POST …/inquire` answers.
package struct InquiryReportAnswer: APIObject {
    package var verdict = ""
    package var trust = ""
    package var reason = ""
    package var detail = ""
    /// Number of payments, captures, refunds and disputes in the provider's answer.
    package var facts = 0
    /// Sequences of the new records.
    package var recorded: [UInt64] = []
    /// Number of those that contradict earlier ones.
    package var conflicts = 0
    package var retryAfterSeconds: Int?
    /// The order's status afterwards; nil where there is no such order.
    package var status: String?

    package init() {}

    init(_ report: InquiryReport, status: OrderStatus?) {
        (verdict, trust) = (report.verdict.rawValue, report.trust.rawValue)
        (reason, detail) = (report.reason, report.detail)
        (facts, recorded, conflicts) = (report.facts, report.recorded, report.conflicts)
        retryAfterSeconds = report.retryAfterSeconds.map { Int($0.rounded(.up)) }
        self.status = status?.rawValue
    }

    package mutating func members(_ form: inout some APIForm) {
        form.required("verdict", &verdict)
        form.required("trust", &trust)
        form.required("reason", &reason)
        form.required("detail", &detail)
        form.required("facts", &facts)
        form.required("recorded", &recorded)
        form.required("conflicts", &conflicts)
        form.optional("retryAfterSeconds", &retryAfterSeconds)
        form.optional("status", &status)
    }
}
