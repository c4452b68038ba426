import Foundation
import Testing

/// Log lines about notifications, and the secrets they never contain.
@Suite(.ownThreads) struct LogTests {
    @Test(arguments: ["text", "json"])
    func `no secret card data or signature is ever logged`(_ format: String) throws {
        let instance = try Instance(arguments: ["--log-format", format])
        let card = "4111111111111111"
        let forgery = try AntomForgery(instance)
        let body =
            #"{"notifyType":"PAYMENT_RESULT","cardNo":"\#(card)","cvv":"MARKED-CVV","#
            + #""paymentRequestId":"LOG-1","paymentId":"P-1","result":{"resultCode":"SUCCESS","#
            + #""resultStatus":"S","resultMessage":"ok"},"#
            + #""paymentAmount":{"currency":"MYR","value":"100"}}"#
        let good = try forgery.sign(body: body)
        let signature = good.headers.first { $0.isNamed("signature") }!.value
        var client = try instance.client()
        try client.send(good.request())
        #expect(try client.receive().status == 200)
        // Rejected requests are logged with the reason only.
        for delivery in [
            good.replacing(
                header: "signature",
                with: "algorithm=RSA256,keyVersion=1,signature=MARKED-SIGNATURE"),
            good.replacing(header: "client-id", with: "MARKED-CLIENT"),
            good.replacing(target: "/ipn/antom?token=MARKED-QUERY"),
            good.replacing(target: "/elsewhere?token=MARKED-QUERY"),
        ] {
            client = try instance.client()
            try client.send(delivery.adding("Authorization", "Bearer MARKED-HEADER").request())
            #expect(try client.receive().status >= 200)
        }
        let token = try String(
            contentsOfFile: "\(instance.folder)/secrets/admin-token", encoding: .utf8
        )
        .trimmingCharacters(in: .whitespacesAndNewlines)
        _ = try instance.admin().get("/orders/antom/LOG-1?wait=MARKED-WAIT")
        _ = try instance.admin().post("/orders/antom/LOG-2", "MARKED-BODY")
        instance.stop()
        let log = instance.logText
        #expect(log.contains("LOG-1"))
        for secret in [
            card, "MARKED-", token,
            String(decoding: signature, as: UTF8.self).suffix(40).description,
        ] {
            #expect(!log.contains(secret), "\(secret) is in\n\(log)")
        }
        for name in ["antom.pem", "citcon", "ecommpay"] {
            let file = "\(instance.folder)/secrets/\(name)"
            guard let secret = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
            #expect(!log.contains(secret.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
    }

    @Test func `each JSON line is an object with what happened`() throws {
        let instance = try Instance(arguments: ["--log-format", "json"])
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "LOG-3").request())
        instance.stop()
        let lines = try instance.logText.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let line = try #require(lines.first { $0["message"] as? String == "notification" })
        #expect(line["endpoint"] as? String == "antom")
        #expect(line["outcome"] as? String == "recorded")
        #expect(line["order"] as? String == "LOG-3")
        #expect(line["sequence"] as? Int == 1)
        // All timestamps have one form, so that they sort as text.
        let times = lines.compactMap { $0["time"] as? String }
        #expect(times.count == lines.count && times == times.sorted())
    }
}
