import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let citconUPI: ProviderFixture = {
        @Sendable func settings(_ secret: String, _ key: SettingValue) -> EndpointSettings {
            EndpointSettings(
                name: "citcon-upi", ["secrets": .secrets([Array(secret.utf8)])],
                inquiry: ["privateKey": key])
        }
        var fixture = ProviderFixture(
            .citconUPI, settings("project-secret", "sk-private"),
            settings("project-secret2", "sk-other"))
        fixture.marked = [
            MarkedRequest(
                body: #"{"id":"1","fields":"id","sign":"00"}"#, "citcon-upi", "citcon-pay")
        ]
        fixture.vectors = .file("citcon-upi") { file in
            let settings = settings(try file.text("secret"), "sk-private")
            return try vectors(
                "guide", settings, file.text("body"), changing: "USD", to: "USE")
        }
        fixture.inquiry = inquiry
        fixture.teller = CitconUPITeller.self
        return fixture
    }()

    private static let inquiry: Inquiry = {
        var inquiry = Inquiry(
            paid: { reference, status, amount in
                #"{"status":"success","data":{"object":"charge","id":"T-1","reference":""#
                    + reference + #"","amount":\#(amount),"currency":"EUR","status":""#
                    + status + #""}}"#
            }, paidWord: "succeeded")
        inquiry.usesToken = true
        inquiry.successfulCalls = [
            #"{"status":"success","data":{"code":"0","message":"succeeded"}}"#
        ]
        inquiry.failedCalls = [
            #"{"status":"fail","data":{"code":"4107","message":"gateway error"}}"#
        ]
        inquiry.unknown = [(#"{"status":"fail","data":{"code":"4040"}}"#, 404)]
        inquiry.refundedMember = "amount_refunded"
        inquiry.keptToken = { authorization in
            InquiryToken(
                String(authorization.dropFirst("Bearer ".count)),
                expires: Timestamp(microseconds: .max))
        }
        return inquiry
    }()
}
