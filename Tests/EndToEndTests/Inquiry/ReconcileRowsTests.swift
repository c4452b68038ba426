import Foundation
import TestSupport
import Testing

/// `ipnd reconcile --file` with files that have several rows for an order.
@Suite(.ownThreads) struct ReconcileRowsTests {
    /// A refund is in the file under its own reference, and an unreadable row does not affect the
    /// other rows of its order.
    @Test func `rows of one order belong together`() throws {
        let instance = try Instance()
        for (reference, scenario) in [("WHOLE", "partial-refunds"), ("TORN", "paid")] {
            let sent = try run(
                Binary.ipnd,
                [
                    "send", "--config", instance.configurationFile, "--endpoint", "antom",
                    "--url", "http://127.0.0.1:\(instance.port)", "--reference", reference,
                    "--scenario", scenario, "--admin", "http://127.0.0.1:\(instance.adminPort)",
                ])
            #expect(sent.status == 0, "\(sent)")
        }
        let order = try instance.admin().get("/orders/antom/WHOLE").object()
        let aliases = try #require(order["aliases"] as? [String])
        #expect(aliases.count == 2)
        let file = "\(instance.folder)/rows.csv"
        func compare(_ rows: [String], _ arguments: String...) throws -> Finished {
            let text = (["reference,amount,currency,status"] + rows).joined(separator: "\n")
            try "\(text)\n".write(toFile: file, atomically: true, encoding: .utf8)
            return try run(
                Binary.ipnd,
                [
                    "reconcile", "--endpoint", "antom", "--config", instance.configurationFile,
                    "--url", "http://127.0.0.1:\(instance.adminPort)", "--file", file,
                ] + arguments)
        }
        let whole =
            ["WHOLE,42.00,MYR,paid"] + aliases.map { "\($0),-10.50,MYR,refunded" }
        let net = try compare(whole + ["TORN,42.00,MYR,paid"], "--compare", "net")
        #expect(net.status == 0, "\(net)")
        #expect(net.output.contains("4 rows, 2 orders compared, 0 differences"), "\(net)")
        #expect(net.output.contains("63.00 MYR here, 63.00 MYR there"), "\(net)")
        let unread = ["\(aliases[1]),what,MYR,refunded", "TORN,4.00,MYR,paid", "TORN,38"]
        let torn = try compare(whole.dropLast() + unread, "--compare", "net")
        #expect(torn.status == 65, "\(torn)")
        #expect(torn.output.contains("0 orders compared, 0 differences"), "\(torn)")
        #expect(torn.errors.contains("rows.csv:4:") && torn.errors.contains("rows.csv:6:"))
        let twice = try compare(["A,1.00,MYR,paid"], "--amount-column", "9")
        #expect(
            twice.status == 65 && twice.errors.contains("the file has 4 columns"), "\(twice)")
    }
}
