import AdminAPI
import ArgumentParser
import Bytes
import Console
import Glibc
import Store

/// `ipnd inquire`
struct InquireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inquire", abstract: "Ask the provider about an order.",
        discussion: """
            Asks through the running server that --config describes; the endpoint needs an \
            `inquiry`. Exit status 0: the provider answered about the order. 1: it did not; an \
            order that it does not know is unchanged.

            Example: ipnd inquire ORDER-1 --endpoint \(ExampleName.endpoint)
            """)

    @Argument(help: "The order's reference.") var reference: String
    @Option(help: "The endpoint whose provider is asked.", completion: .endpoints)
    var endpoint: String
    @Option(
        help: ArgumentHelp(
            "Ask by this checkout id, within half an hour of its creation.",
            discussion: "Only for providers that have checkouts.", valueName: "id"))
    var checkout: String?
    @OptionGroup var server: ServerOptions
    @Flag(help: "Print JSON.") var json = false

    func validate() throws {
        if reference.isEmpty { throw ValidationError("the reference is empty") }
        if checkout?.isEmpty == true { throw ValidationError("the checkout is empty") }
    }

    func run() throws {
        if let complaint = KnownNames.complaint(ofEndpoint: endpoint, inFile: server.file.config) {
            StandardError.print("ipnd inquire: --endpoint: \(complaint)")
            throw ExitCode(EX_USAGE)
        }
        let admin = try AdminConnection(server)
        let name = OrderName(endpoint: endpoint, reference: reference)
        var target = "/\(OrderPath.of(name, act: "inquire"))"
        if let checkout {
            target += target.contains("?") ? "&" : "?"
            target += "checkout=\(PercentEncoding.encode(Array(checkout.utf8)))"
        }
        let report: InquiryReportAnswer = try admin.post(target)
        StandardOutput.print(
            json ? String(decoding: report.json(), as: UTF8.self) : Self.sentence(report))
        if report.verdict != "answered" { throw ExitCode(1) }
    }

    private static func sentence(_ report: InquiryReportAnswer) -> String {
        var parts = [report.verdict]
        if report.verdict == "answered" {
            parts.append(counted(report.facts, "fact"))
            parts.append("\(report.recorded.count) new")
            if report.conflicts > 0 {
                parts.append("\(report.conflicts) in conflict with what was known")
            }
            if report.trust == "tls" { parts.append("the answer is not signed") }
        } else {
            parts.append(report.reason)
            parts.append(DeliveriesListCommand.oneLine(report.detail))
        }
        if let status = report.status { parts.append("the order is \(status)") }
        return parts.filter { !$0.isEmpty }.joined(separator: "; ")
    }
}
