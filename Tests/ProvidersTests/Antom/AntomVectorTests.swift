import JSON
import Payments
import Providers
import Testing

/// Antom's own signatures.
@Suite struct AntomVectorTests {
    let vectors: [JSONValue]

    init() throws {
        vectors = try Array(#require(VectorFile.load("antom")["vectors"]).elements)
        try #require(!vectors.isEmpty)
    }

    private func provider(_ vector: JSONValue, clientID: String? = nil) throws -> Antom {
        try Antom(
            settings: EndpointSettings(
                name: "antom",
                [
                    "clientID": (clientID ?? vector["clientId"]?.string)?.settingValue,
                    "keys": .keys([
                        VersionedKey(
                            version: 1, text: #require(vector["publicKeyBase64DER"]?.string))
                    ]),
                ]))
    }

    private func delivery(_ vector: JSONValue, _ changed: JSONValue? = nil) throws -> SignedRequest
    {
        func text(_ name: String) throws -> String {
            try #require(changed?[name]?.string ?? vector[name]?.string)
        }
        let target = try text("path").split(separator: "?", maxSplits: 1).map(String.init)
        return try SignedRequest(
            path: target[0], query: target.count > 1 ? target[1] : nil,
            headers: [
                ("client-id", text("clientId")), ("request-time", text("time")),
                ("signature", text("signatureHeaderValue")),
            ], body: text("body"))
    }

    @Test func `genuine signatures verify and are read`() throws {
        for vector in vectors {
            let verified = try provider(vector).verify(delivery(vector))
            #expect(verified.key == "1")
            let notification = try provider(vector).interpret(verified.evidence)
            #expect(notification.effect == .attempt(.paid, .of(100, "PHP")))
            #expect(notification.reference == "cc89dd30134549d6")
            #expect(notification.status == "paid" && notification.kind == "payment")
            #expect(notification.occurred == Timestamp(iso8601: "2019-11-12T17:36:04+08:00"))
        }
    }

    /// The notification URL had a query, and the sender signed the path without it, so the request
    /// must verify with a query, too.
    @Test func `the query of the URL may be left out of the signature`() throws {
        let vector = try #require(vectors.first)
        var delivery = try delivery(vector)
        delivery.query = Array("allPayTn=5a9ddf96cc89dd30134549d68abbbd4a".utf8)[...]
        #expect(try provider(vector).refusal(delivery) == nil)
    }

    @Test func `every negative is refused`() throws {
        for vector in vectors {
            for negative in try #require(vector["negatives"]).elements {
                let why = try #require(negative["why"]?.string)
                // A path without its query verifies by rule; in the vector the query is part of the
                // path.
                guard why != "path with query" else { continue }
                let clientID = negative["clientId"]?.string
                let refusal = try provider(vector, clientID: clientID)
                    .refusal(delivery(vector, negative))
                #expect(refusal?.reason == "signature_mismatch", "\(why)")
                #expect(refusal?.kind == .unauthenticated, "\(why)")
            }
        }
    }

    @Test func `any byte of anything signed counts`() throws {
        let vector = try #require(vectors.first)
        let provider = try provider(vector)
        let genuine = try delivery(vector)
        for index in stride(from: 0, to: genuine.body.count, by: 7) {
            var changed = genuine
            changed.body[index] ^= 1
            #expect(provider.refusal(changed)?.reason == "signature_mismatch")
        }
        var path = genuine
        path.path = Array("/api/bacK".utf8)[...]
        #expect(provider.refusal(path)?.reason == "signature_mismatch")
        let time = genuine.with(header: "request-time", "2019-11-12T09:37:01Z")
        #expect(provider.refusal(time)?.reason == "signature_mismatch")
    }
}
