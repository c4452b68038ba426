import Foundation
import TestSupport
import Testing

/// The screen of recorded events, and the figures of the day.
@Suite(.ownThreads) struct PageEventsTests {
    /// Of each store, and over a restart.
    @Test(arguments: StorageKind.all)
    func `the day's figures are those of the record`(_ storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let antom = try SandboxProvider("antom", of: instance)
        for (reference, minor) in [("D-1", 4200), ("D-2", 9900)] {
            try instance.deliver(
                antom.delivery(reference: reference, minor: Int64(minor)).request())
        }
        try instance.deliver(antom.delivery(reference: "D-3", currency: "JPY").request())
        // Two captures of different sums: in review, so that no sum is shown for it.
        try instance.deliver(antom.delivery(reference: "D-1", minor: 4200).request())
        for minor in [100, 300] {
            try instance.deliver(antom.delivery(reference: "D-4", minor: Int64(minor)).request())
        }
        let tampered = String(
            decoding: try antom.delivery(reference: "D-5").request(), as: UTF8.self
        ).replacing("D-5", with: "D-6")
        let client = try instance.client()
        try client.send(tampered)
        #expect(try client.receive().status == 401)
        for _ in 0..<2 {
            let page = try PageSessionTests.visitor(instance).get("/ui/now").body
            #expect(page.contains("141.00 MYR"), "\(page)")
            #expect(page.contains("4,200 JPY"))
            #expect(page.contains(#"id="day-paid">3<"#))
            instance.stop()
            try instance.start()
        }
        // The refusal was counted before the stop.
        let page = try PageSessionTests.visitor(instance).get("/ui/now").body
        #expect(page.contains(#"id="day-refused">1<"#))
    }

    @Test func `events are listed newest first and one with its request and deliveries`() throws {
        let server = try LocalServer(once: { request in
            request.contains("E-2")
                ? LocalServer.answer(500, body: "out of stock") : LocalServer.answer()
        })
        let instance = try Instance(
            edit: { text in
                text + """

                    destinations:
                      - name: erp
                        url: http://127.0.0.1:\(server.port)/
                        secrets: [{file: secrets/erp}]
                        endpoints: [antom]
                        retrySeconds: [100000]

                    """
            }, starts: false)
        try "whsec_\(Data(count: 32).base64EncodedString())".write(
            toFile: "\(instance.folder)/secrets/erp", atomically: true, encoding: .utf8)
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        let admin = try instance.admin()
        try instance.deliver(antom.delivery(reference: "E-1").request())
        #expect(
            try admin.post("/orders/citcon/C-1", #"{"amount":{"minor":5,"currency":"MYR"}}"#)
                .status == 201)
        try instance.deliver(antom.delivery(reference: "E-2").request())
        #expect(
            try eventually {
                try admin.get("/deliveries?reference=E-2").body.contains("out of stock")
                    && server.requests.contains { $0.contains("E-1") }
            })
        let visitor = try PageSessionTests.visitor(instance)
        let list = try visitor.get("/ui/events").body
        let places = ["id=\"e3\"", "id=\"e2\"", "id=\"e1\""].map { list.range(of: $0)?.lowerBound }
        #expect(
            places.allSatisfy { $0 != nil }
                && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
        let filtered = try visitor.get("/ui/events?kind=expectation").body
        #expect(filtered.contains("C-1") && !filtered.contains("E-1"))
        #expect(try visitor.get("/ui/events?endpoint=citcon").body.contains("id=\"e2\""))
        #expect(try !visitor.get("/ui/events?before=3").body.contains("id=\"e3\""))
        #expect(try visitor.get("/ui/events?before=x").status == 400)
        #expect(try visitor.get("/ui/events?id=99").status == 404)

        // The shop has the event before ipnd has its answer.
        var first = ""
        #expect(
            try eventually {
                first = try visitor.get("/ui/events?id=1").body
                return first.contains("delivered at the first attempt")
            })
        #expect(first.contains("Request as received") && first.contains("paymentRequestId"))
        let second = try visitor.get("/ui/events?id=2").body
        #expect(second.contains("filter leaves it out"))
        let third = try visitor.get("/ui/events?id=3").body
        #expect(third.contains("waits for its next attempt"))
        #expect(third.contains("out of stock") && third.contains(" ms"))
        // Looks at requests are in the audit trail, looks at the list are not.
        let audit = try admin.get("/audit?what=read_events").body
        #expect(audit.contains(#""on":"1""#) && audit.contains(#""on":"3""#))
    }
}
