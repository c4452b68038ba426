import TestSupport
import Testing

/// Answers of the delivery routes to invalid parameters.
@Suite(.ownThreads) struct DeliveryRouteTests {
    @Test func `a filter that cannot be meant acts on nothing`() throws {
        let instance = try Instance(edit: { text in text + Instance.silentDestination })
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "D-1").request())
        let admin = try instance.admin()
        let mistakes = [
            "reference=", "destination=", "state=lost", "sequence=0", "dryRun=yes", "sequenc=1",
        ]
        for path in ["/deliveries/retry", "/deliveries/resolve"] {
            for mistake in mistakes {
                #expect(
                    try admin.post("\(path)?\(mistake)", "").status == 400, "\(path)?\(mistake)")
            }
            #expect(try admin.post("\(path)?destination=other", "").status == 404)
        }
        #expect(try admin.post("/deliveries/resolve?state=waiting", "").status == 400)
        #expect(try admin.get("/deliveries?reference=").status == 400)
        #expect(try admin.get("/deliveries?destination=").status == 400)
    }
}
