import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let citconPay: ProviderFixture = {
        @Sendable func settings(_ secret: String) -> EndpointSettings {
            EndpointSettings(name: "citcon-pay", ["secrets": .secrets([Array(secret.utf8)])])
        }
        var fixture = ProviderFixture(
            .citconPay, settings("project-secret"), settings("project-secret2"))
        fixture.impossibleScenarios = ["authorized-captured", "chargeback", "expired"]
        fixture.marked = [
            MarkedRequest(body: "id=1&fields=id&sign=00", "citcon-upi", "citcon-pay")
        ]
        fixture.answers = [JudgedAnswer(200, "OK\n", isAccepted: false)]
        fixture.vectors = .file("citcon-pay") { file in
            let settings = settings(try file.text("token"))
            return try ["form", "json"].flatMap { name in
                try vectors(name, settings, file.text(name), changing: "258", to: "259")
            }
        }
        fixture.inquiry = inquiry
        fixture.teller = CitconPayTeller.self
        return fixture
    }()

    private static let inquiry: Inquiry = {
        var inquiry = Inquiry(
            paid: { reference, status, amount in
                #"{"id":"T-1","type":"charge","amount":"\#(amount)","currency":"EUR","#
                    + #""reference":""# + reference + #"","status":""# + status + #""}"#
            }, paidWord: "success")
        inquiry.successfulCalls = [#"{"status":"success","code":"200"}"#]
        inquiry.failedCalls = [#"{"status":"fail"}"#]
        inquiry.unknown = [("{}", 200), ("[]", 200), ("", 200), (#"{"status":null}"#, 200)]
        inquiry.refundedMember = "refunded_amount"
        return inquiry
    }()
}
