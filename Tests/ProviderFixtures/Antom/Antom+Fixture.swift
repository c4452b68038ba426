import Bytes
import Cryptography
import JSON
import Payments

@testable import Providers

extension ProviderFixture {
    package static let antom: ProviderFixture = {
        let account = FixtureKeys.rsa()
        var fixture = ProviderFixture(
            .antom, settings(account: account, merchant: FixtureKeys.rsa()),
            settings(account: FixtureKeys.rsa(), merchant: FixtureKeys.rsa()))
        fixture.addOptions = ["--client-id", "C-1"]
        fixture.marked = [
            MarkedRequest(headers: ["Client-Id", "Signature", "Host"], "antom"),
            MarkedRequest(headers: ["request-time", "signature"], "antom"),
        ]
        // Captures and refunds name the payment only.
        fixture.kindsWithoutReference = ["capture", "refund"]
        fixture.answers = [
            JudgedAnswer(200, "", isAccepted: false), JudgedAnswer(200, "ok", isAccepted: false),
            JudgedAnswer(200, #"{"result":{"resultStatus":"F"}}"#, isAccepted: false),
            JudgedAnswer(201, #"{"result":{"resultStatus":"S"}}"#, isAccepted: false),
            JudgedAnswer(200, #"{"result":{"resultStatus":"S"}}"#, isAccepted: true),
        ]
        fixture.isPublishedSchedule = {
            $0 == [120, 600, 600, 3600, 7200, 21600, 54000].map { .seconds($0) }
        }
        fixture.vectors = .file("antom", read: vectors)
        fixture.readings = { body in
            EndpointSettings.Capture.allCases.map {
                AntomInterpretation.notification(body: body, capture: $0)
            }
        }
        fixture.inquiry = inquiry(account)
        fixture.teller = AntomTeller.self
        return fixture
    }()

    private static func settings(
        account: RSAPrivateKey, merchant: RSAPrivateKey
    ) -> EndpointSettings {
        EndpointSettings(
            name: "antom",
            [
                "clientID": "CLIENT",
                "keys": .keys([VersionedKey(version: 1, text: account.publicKeyBase64DER)]),
            ], inquiry: ["privateKey": .text(merchant.pem)],
            sender: ["privateKey": .text(account.pem)])
    }

    private static func inquiry(_ account: RSAPrivateKey) -> Inquiry {
        var inquiry = Inquiry(
            paid: { reference, status, amount in
                #"{"result":{"resultStatus":"S","resultCode":"SUCCESS"},"paymentStatus":""#
                    + status + #"","paymentRequestId":""# + reference
                    + #"","paymentId":"T-1","paymentAmount":{"currency":"EUR","#
                    + #""value":"\#(amount)"}}"#
            }, paidWord: "SUCCESS")
        inquiry.sign = { answer in
            let time = answer.time.rfc3339
            let content =
                Array("POST \(answer.request.target)\nCLIENT.\(time).".utf8) + answer.body
            guard let signature = try? account.signSHA256(content) else {
                fatalError("OpenSSL does not sign")
            }
            let value = PercentEncoding.encode(Array(Base64.encode(signature).utf8))
            answer.headers += [
                Header("client-id", "CLIENT"), Header("response-time", time),
                Header("signature", "algorithm=RSA256,keyVersion=1,signature=\(value)"),
            ]
        }
        inquiry.successfulCalls = [#"{"result":{"resultStatus":"S","resultCode":"SUCCESS"}}"#]
        inquiry.failedCalls = [#"{"result":{"resultStatus":"F","resultCode":"PARAM_ILLEGAL"}}"#]
        inquiry.unknown = [
            (#"{"result":{"resultStatus":"F","resultCode":"ORDER_NOT_EXIST"}}"#, 200)
        ]
        return inquiry
    }

    /// Antom's own signatures.
    private static func vectors(_ file: JSONValue) throws -> [SignedVector] {
        try file.required("vectors").elements.flatMap { vector -> [SignedVector] in
            // A query beside the path may be left out of the signature; the vector means it as a
            // part of the path.
            let negatives = try vector.required("negatives").elements.filter {
                try $0.text("why") != "path with query"
            }
            return try [signed(vector, nil)] + negatives.map { try signed(vector, $0) }
        }
    }

    private static func signed(
        _ vector: JSONValue, _ changed: JSONValue?
    ) throws -> SignedVector {
        func text(_ name: String) throws -> String {
            try changed?[name]?.string ?? vector.text(name)
        }
        let target = try text("path").split(separator: "?", maxSplits: 1).map { Array($0.utf8) }
        return SignedVector(
            name: try changed?.text("why") ?? "genuine",
            settings: EndpointSettings(
                name: "antom",
                [
                    "clientID": .text(try text("clientId")),
                    "keys": .keys([
                        VersionedKey(version: 1, text: try vector.text("publicKeyBase64DER"))
                    ]),
                ]),
            delivery: SignedRequest(
                path: target[0][...], query: target.count > 1 ? target[1][...] : nil,
                headers: [
                    Header("client-id", try text("clientId")),
                    Header("request-time", try text("time")),
                    Header("signature", try text("signatureHeaderValue")),
                ], body: Array(try text("body").utf8), received: Timestamp(microseconds: 0)),
            isGenuine: changed == nil)
    }
}
