import Foundation
import TestSupport
import Testing
import Yams

/// Runs the examples of the pages with the real program.
@Suite(.ownThreads) struct PageExampleTests {
    private static let pages = [
        "README.md", "config/README.md", "config/api.md", "config/commands.md",
        "config/delivery.md", "config/going-live.md", "config/providers.md",
    ]

    /// Commands that only the project's scripts use are not listed.
    @Test func `every command has a row`() throws {
        let help = try run(Binary.ipnd, ["help"]).output
        // After the heading of each group.
        let names = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().flatMap { group in
            group.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
        }
        #expect(names.count > 20 && names.contains("add"), "\(names)")
        let page = try SourceTree.text("config/commands.md")
        for name in names where name != "help" && name != "See" {
            let isThere = ["`ipnd \(name) ", "`ipnd \(name)`", "\nipnd \(name) "].contains {
                page.contains($0)
            }
            #expect(isThere, "\(name)")
        }
    }

    @Test(arguments: pages) func `every command and option exists`(_ page: String) throws {
        let examples = try Self.code(of: page).flatMap { $0.split(separator: "\n") }
        for example in examples {
            let words = example.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            guard words.count > 1, ["$ipnd", "ipnd"].contains(Self.name(words[0])) else {
                continue
            }
            let isNested = ["journal", "deliveries"].contains(words[1])
            let command = isNested ? words[1...].prefix(2) : words[1...1]
            let help = try run(Binary.ipnd, ["help"] + command)
            #expect(help.status == 0, "\(page): \(example)")
            for option in words where option.hasPrefix("--") {
                #expect(help.output.contains("\(option) "), "\(page): \(example)")
            }
        }
    }

    /// Completes an example with the settings that every configuration needs.
    @Test(arguments: ["README.md", "config/providers.md"])
    func `every configuration is accepted`(_ page: String) throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let sandbox = "\(folder)/sandbox"
        try Instance.template.get().copy(to: sandbox)
        let examples = try Self.code(of: page).filter { $0.contains("endpoints:\n") }
        #expect(!examples.isEmpty)
        for example in examples {
            let missing = "listeners: [{address: 127.0.0.1:0}]\njournal: {directory: journal}\n"
            let text = (example.contains("listeners:") ? "" : missing) + example
            let file = "\(sandbox)/example.yaml"
            try text.replacingOccurrences(of: "/var/lib/ipnd", with: folder)
                .write(toFile: file, atomically: true, encoding: .utf8)
            let check = try run(
                Binary.ipnd, ["check", "--config", file], environment: ["OTHER_SECRET": "x"])
            #expect(check.status == 0, "\(page): \(check.errors)")
        }
    }

    /// The names of sysexits.h, compared with the rows of config/commands.md.
    @Test func `every exit status stands in the table`() throws {
        let numbers = [
            "EXIT_FAILURE": 1, "EX_USAGE": 64, "EX_DATAERR": 65, "EX_NOINPUT": 66,
            "EX_UNAVAILABLE": 69, "EX_SOFTWARE": 70, "EX_OSERR": 71, "EX_OSFILE": 72,
            "EX_CANTCREAT": 73, "EX_IOERR": 74, "EX_CONFIG": 78,
        ]
        let rows = try SourceTree.text("config/commands.md").components(
            separatedBy: "## Exit statuses")
        let table = Set(
            try #require(rows.last).split(separator: "\n").compactMap { line in
                line.hasPrefix("| ") ? Int(line.split(separator: " ")[1]) : nil
            })
        let folder = SourceTree.url("Sources/Commands")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var used: Set<Int> = []
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\b(EXIT_FAILURE|EX_[A-Z]+)\b/) {
                used.insert(try #require(numbers[String(match.1)], "\(match.1)"))
            }
        }
        // An abort is a signal, not an exit status of ipnd.
        #expect(table.subtracting([0, 134]) == used)
    }

    /// The files that the cluster mounts are in one folder of secrets.
    @Test func `the configuration of the manifest is accepted`() throws {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let sandbox = "\(temporary.path)/sandbox"
        try Instance.template.get().copy(to: sandbox)
        try temporary.write("sandbox/secrets/database", "host=127.0.0.1 dbname=shop")
        let documents = try Yams.load_all(yaml: SourceTree.text("config/kubernetes.yaml"))
            .compactMap { $0 as? [String: Any] }
        let maps = documents.compactMap { $0["data"] as? [String: String] }
        let text = try #require(maps.first?["ipnd.yaml"])
        try text.replacingOccurrences(of: "/run/secrets/ipnd/antom.pem", with: "keys/antom.pem")
            .replacingOccurrences(of: "/run/secrets/ipnd/", with: "secrets/")
            .replacingOccurrences(of: "/var/lib/ipnd", with: temporary.path)
            .write(toFile: "\(sandbox)/manifest.yaml", atomically: true, encoding: .utf8)
        let check = try run(Binary.ipnd, ["check", "--config", "\(sandbox)/manifest.yaml"])
        #expect(check.status == 0, "\(check.errors)")
        // The probes, and the paths passed to the program.
        let deployment = try #require(documents.first { $0["kind"] as? String == "Deployment" })
        #expect("\(deployment)".contains("/readyz") && "\(deployment)".contains("/healthz"))
    }

    private static func name(_ program: String) -> String {
        program.split(separator: "/").last.map(String.init) ?? program
    }

    /// The code blocks of a page.
    private static func code(of page: String) throws -> [String] {
        let parts = try SourceTree.text(page).components(separatedBy: "\n```")
        return parts.enumerated().filter { $0.offset % 2 == 1 }.map { part in
            // The rest of the fence's line is the language.
            part.element.drop { $0 != "\n" }.dropFirst() + "\n"
        }.map(String.init)
    }
}
