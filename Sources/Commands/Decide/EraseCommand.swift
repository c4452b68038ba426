import AdminAPI
import ArgumentParser
import Console
import JSON

/// `ipnd erase`
struct EraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase the personal data of an order, or of old records.",
        discussion: """
            Destroys the keys of the order's records: requests, addresses and metadata cannot be \
            read any more, on any page and in any export. Sums, statuses and \
            de-duplication stay as they are. It cannot be taken back. Needs records that are \
            sealed (personal.masterKeys). Shows the order and asks, unless --yes is given. The \
            erasure is recorded with who, when and why; it prints what it cannot reach.

            Example: ipnd erase ORDER-1 --endpoint \(ExampleName.endpoint) \
            --reason 'request of 3 May'
            """)

    @Argument(help: "The order's reference.") var reference: String?
    @Option(help: "The order's endpoint.", completion: .endpoints) var endpoint: String?
    @Option(
        help: "In place of an order: all records that were received more days ago, such as 400d.",
        transform: Self.days)
    var olderThan: Int?
    @Option(help: "The reason, which is recorded. Write no name into it.") var reason: String
    @OptionGroup var server: ServerOptions
    @Flag(help: "Do not ask.") var yes = false

    private static func days(_ text: String) throws -> Int {
        let digits = text.hasSuffix("d") ? text.dropLast() : text[...]
        guard let days = Int(digits), (1...36_500).contains(days) else {
            throw ValidationError("“\(text)” is not a number of days, such as 400d")
        }
        return days
    }

    func validate() throws {
        if reason.isEmpty { throw ValidationError("--reason is empty") }
        if olderThan != nil {
            guard reference == nil, endpoint == nil else {
                throw ValidationError("give an order or --older-than, not both")
            }
            return
        }
        guard let reference, !reference.isEmpty else {
            throw ValidationError("give the reference of an order, or --older-than")
        }
        guard let endpoint, !endpoint.isEmpty else {
            throw ValidationError("give the order's --endpoint")
        }
    }

    func run() throws {
        let admin = try AdminConnection(server)
        let answer: ErasureAnswer
        if let olderThan {
            if !yes {
                try Question.ask(
                    "Erase the personal data of everything older than \(olderThan) days? [y/N] ")
            }
            answer = try admin.post(
                "/erasures",
                JSONWriter.object { json in
                    json.member("olderThanDays", olderThan)
                    json.member("reason", reason)
                })
        } else {
            answer = try OrderDecision(
                reference: reference ?? "", endpoint: endpoint ?? "", admin: admin
            ).run(
                "erase", { $0.member("reason", reason) },
                asking: yes ? nil : "Erase its personal data for good? [y/N] ")
        }
        print(answer)
    }

    private func print(_ answer: ErasureAnswer) {
        guard answer.records > 0 else { return StandardOutput.print("nothing to erase") }
        StandardOutput.print(
            "erased \(answer.records) record(s), \(answer.rejections) refused request(s), "
                + "\(answer.answers) answer(s) of your systems; recorded as \(answer.sequence)")
        if !answer.shared.isEmpty {
            let list = answer.shared.map { "\($0)" }.joined(separator: ", ")
            StandardOutput.print(
                "reported by the same requests, so the requests of these records are gone, too: "
                    + list)
        }
        StandardOutput.print("not reached:")
        for place in answer.unreached { StandardOutput.print("  \(place)") }
    }
}
