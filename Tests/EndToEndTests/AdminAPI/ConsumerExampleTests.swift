import Foundation
import TestSupport
import Testing

/// Runs the consumers of config/api.md verbatim. In their shop an order costs 42.00 MYR.
@Suite(.ownThreads) struct ConsumerExampleTests {
    private struct Language {
        let name: String
        let program: String
        let file: String
        let shop: (file: String, text: String)

        /// Toolchains are found in `PATH`, not among the system's programs.
        var path: String? {
            let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
            return installedProgram(program)
                ?? folders.map { "\($0)/\(program)" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }
    }

    private static let languages = [
        Language(
            name: "sh", program: "sh", file: "consumer.sh",
            shop: (
                "shop.sh",
                """
                total() { echo "4200 MYR"; }
                ship() { echo "ship $1/$2" >>told; }
                hold() { echo "hold $1/$2 $3" >>told; }

                """
            )),
        Language(
            name: "python", program: "python3", file: "consumer.py",
            shop: (
                "shop.py",
                """
                def tell(line): open("told", "a").write(line + "\\n")
                def total(endpoint, reference): return "4200 MYR"
                def ship(endpoint, reference): tell(f"ship {endpoint}/{reference}")
                def hold(endpoint, reference, amount): tell(f"hold {endpoint}/{reference} {amount}")

                """
            )),
        Language(
            name: "js", program: "node", file: "consumer.mjs",
            shop: (
                "shop.js",
                """
                import fs from "node:fs";
                const tell = (line) => fs.appendFileSync("told", line + "\\n");
                export const total = async () => "4200 MYR";
                export const ship = async (e, r) => tell(`ship ${e}/${r}`);
                export const hold = async (e, r, amount) => tell(`hold ${e}/${r} ${amount}`);

                """
            )),
        Language(
            name: "php", program: "php", file: "consumer.php",
            shop: (
                "shop.php",
                """
                <?php
                function tell($line) { file_put_contents('told', "$line\\n", FILE_APPEND); }
                function total($e, $r) { return '4200 MYR'; }
                function ship($e, $r) { tell("ship $e/$r"); }
                function hold($e, $r, $amount) { tell("hold $e/$r $amount"); }

                """
            )),
        Language(
            name: "swift", program: "swiftc", file: "main.swift",
            shop: (
                "shop.swift",
                """
                import Foundation
                private func tell(_ line: String) throws {
                    let text = (try? String(contentsOfFile: "told", encoding: .utf8)) ?? ""
                    try (text + line + "\\n").write(
                        toFile: "told", atomically: true, encoding: .utf8)
                }
                func total(_ e: String, _ r: String) async throws -> String { "4200 MYR" }
                func ship(_ e: String, _ r: String) async throws { try tell("ship \\(e)/\\(r)") }
                func hold(_ e: String, _ r: String, _ amount: String) async throws {
                    try tell("hold \\(e)/\\(r) \\(amount)")
                }

                """
            )),
    ]

    /// Reports the languages that are not installed and so not tested.
    private static let names = languages.filter { language in
        if language.path == nil { print("SKIPPED: \(language.program) is not installed") }
        return language.path != nil
    }.map(\.name)

    @Test(arguments: names)
    func itTakesEachPaidOrderOnceThroughRestartsOfBoth(_ name: String) throws {
        let language = try #require(Self.languages.first { $0.name == name })
        let folder = TemporaryFolder()
        let command = try Self.command(of: language, in: folder)
        let port = try FreePort.take()
        let instance = try Instance(edit: { text in
            text.replacing(
                #"admin: {address: "127.0.0.1:0""#, with: #"admin: {address: "127.0.0.1:\#(port)""#)
        })
        func deliver(_ endpoint: String, _ reference: String, minor: Int64 = 4200) throws {
            let provider = try SandboxProvider(endpoint, of: instance)
            try instance.deliver(provider.delivery(reference: reference, minor: minor).request())
        }
        func expectReceived(_ lines: [String], _ consumer: BackgroundProgram) {
            var told = ""
            let isDelivered = eventually {
                told = (try? folder.text("told")) ?? ""
                return told.split(separator: "\n").map(String.init) == lines
            }
            #expect(isDelivered, "\(told)\n\(consumer.output)")
        }
        let consume = {
            try BackgroundProgram(
                "/usr/bin/env",
                [
                    "-C", folder.path, "IPND_ADMIN=http://127.0.0.1:\(port)",
                    "IPND_TOKEN_FILE=\(instance.folder)/secrets/admin-token",
                ] + command)
        }
        try deliver("antom", "A")
        try deliver("citcon", "A")
        try deliver("antom", "B", minor: 100)
        var told = ["ship antom/A", "ship citcon/A", "hold antom/B 100 MYR"]
        let first = try consume()
        defer { first.kill() }
        expectReceived(told, first)
        // The server is restarted while the consumer runs.
        #expect(instance.stop() == 0)
        try instance.start()
        try deliver("antom", "C")
        told.append("ship antom/C")
        expectReceived(told, first)
        // The consumer is restarted and continues at its position.
        expectPosition(4, in: folder)
        first.kill()
        try deliver("antom", "D")
        told.append("ship antom/D")
        let second = try consume()
        defer { second.kill() }
        expectReceived(told, second)
        expectPosition(5, in: folder)
    }

    /// The journal was replaced: every event is delivered again, so `ship` must be idempotent.
    @Test(arguments: names)
    func itBeginsAgainWithAnotherRecord(_ name: String) throws {
        let language = try #require(Self.languages.first { $0.name == name })
        let folder = TemporaryFolder()
        let command = try Self.command(of: language, in: folder)
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "A").request())
        let store = String(repeating: "0", count: 32)
        try folder.write(
            "position",
            name == "sh" ? "\(store) 7\n" : #"{"after": 7, "store": "\#(store)"}"#)
        let consumer = try BackgroundProgram(
            "/usr/bin/env",
            [
                "-C", folder.path, "IPND_ADMIN=http://127.0.0.1:\(instance.adminPort)",
                "IPND_TOKEN_FILE=\(instance.folder)/secrets/admin-token",
            ] + command)
        defer { consumer.kill() }
        let isDelivered = eventually { (try? folder.text("told")) == "ship antom/A\n" }
        #expect(isDelivered, "\(consumer.output)")
    }

    /// Waits until `number` is saved. The file also has the store's identity, a word of 32 digits.
    private func expectPosition(_ number: Int, in folder: TemporaryFolder) {
        let isKept = eventually {
            let text = (try? folder.text("position")) ?? ""
            return text.matches(of: #/\b[0-9]+\b/#).contains { $0.0 == "\(number)" }
        }
        #expect(isKept, "\((try? folder.text("position")) ?? "no position")")
    }

    /// Writes the example and its shop to a folder and compiles them if necessary.
    private static func command(
        of language: Language, in folder: TemporaryFolder
    ) throws -> [String] {
        let program = try #require(language.path)
        let example = try folder.write(language.file, code(language.name))
        let shop = try folder.write(language.shop.file, language.shop.text)
        guard language.name == "swift" else {
            try folder.write("package.json", #"{"type": "module"}"#)
            return [program, example]
        }
        let compiled = folder.file("consumer")
        let result = try run(program, ["-swift-version", "6", "-o", compiled, example, shop])
        try #require(result.status == 0, "\(result.errors)")
        return [compiled]
    }

    private static func code(_ language: String) throws -> String {
        let page = try SourceTree.text("config/api.md").components(separatedBy: "## A consumer")[1]
        let start = try #require(page.range(of: "\n```\(language)\n"))
        let end = try #require(page[start.upperBound...].range(of: "\n```"))
        return page[start.upperBound..<end.lowerBound] + "\n"
    }
}
