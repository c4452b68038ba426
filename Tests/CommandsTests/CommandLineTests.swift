import ArgumentParser
import Platform
import Testing

@testable import Commands

/// Options that are checked before anything is opened.
@Suite struct CommandLineTests {
    @Test(arguments: [
        ["orders", "--limit", "0"], ["orders", "--flag", "conflcit"],
        ["orders", "--status", "payed"],
        ["simulate", "--loss", "1.5"], ["simulate", "--rate", "0"],
        ["simulate", "--scenario", "bad-signature"], ["simulate", "--count", "-1"],
        ["send", "--endpoint", "a", "--amount", "42,00"],
        ["send", "--endpoint", "a", "--currency", "myr"],
        ["send", "--endpoint", "a", "--status", "paid", "--scenario", "refund"],
        ["send", "--endpoint", "a", "--lose"], ["send", "--endpoint", "a", "--timeout", "0"],
        ["replay", "x", "--url", "http://h:1", "--pace", "slow"],
        ["replay", "x", "--url", "http://h:1", "--speed", "0"],
        ["replay", "x", "--url", "http://h:1", "--provider", "nobody"],
        ["reconcile", "--endpoint", "a", "--file", "x.csv", "--separator", "::"],
        ["reconcile", "--endpoint", "a"], ["rejections", "--limit", "0"],
    ])
    func `an invalid command line is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Ipnd.parseAsRoot(arguments) }
    }

    @Test(arguments: [
        ["orders", "--flag", "overdue", "--status", "paid,failed"], ["simulate", "--count", "5"],
        ["send", "--endpoint", "a", "--scenario", "refund", "--count", "3"],
        ["replay", "x", "--url", "unix:/run/ipnd.sock", "--pace", "100-per-second"],
        ["reconcile", "--endpoint", "a", "--file", "x.csv", "--separator", "tab"],
    ])
    func `a valid command line is parsed`(arguments: [String]) throws {
        _ = try Ipnd.parseAsRoot(arguments)
    }

    @Test func `measuring commands are not part of the program`() {
        for name in ["echo", "fill", "load"] {
            #expect(throws: (any Error).self, "\(name)") { try Ipnd.parseAsRoot([name]) }
        }
    }

    @Test(arguments: [
        (["sned"], "ipnd: there is no command “sned”; did you mean `send`?"),
        (["help", "ordres"], "ipnd: there is no command “ordres”; did you mean `orders`?"),
        (["journal", "ca"], "ipnd journal: there is no command “ca”; did you mean `cat`?"),
        (["help", "journal", "sta"], "ipnd journal: there is no command “sta”; did you mean"),
        (["nope"], "ipnd: there is no command “nope”; known: init, add, check, serve"),
    ])
    func `a word that is no command is named`(_ words: [String], _ complaint: String) {
        #expect(UnknownCommand.find(in: words)?.description.hasPrefix(complaint) == true)
    }

    @Test(arguments: [
        [], ["help"], ["--version"], ["send", "x"], ["help", "journal", "cat"], ["journal", "cat"],
        ["deliveries"], ["deliveries", "--reference", "x"], ["deliveries", "x"], ["orders", "R-1"],
    ])
    func `other words are left to the parser`(_ words: [String]) {
        #expect(UnknownCommand.find(in: words) == nil)
    }

    @Test func `every command shows an example, which is valid`() throws {
        var count = 0
        func check(_ command: any ParsableCommand.Type, _ path: [String]) throws {
            let path = path + [command.configuration.commandName ?? ""]
            let subcommands = command.configuration.subcommands
            for sub in subcommands { try check(sub, path) }
            guard subcommands.isEmpty else { return }
            let lines = command.configuration.discussion.split(separator: "\n")
            let name = path.joined(separator: " ")
            let example = try #require(
                lines.first { $0.hasPrefix("Example: \(name) ") || $0 == "Example: \(name)" },
                "\(name)")
            // Words in quotes are one argument.
            let words = example.split(separator: "'", omittingEmptySubsequences: false).enumerated()
                .flatMap { $0.isMultiple(of: 2) ? $1.split(separator: " ") : [$1] }
            #expect(throws: Never.self, "\(name)") {
                try Ipnd.parseAsRoot(words.dropFirst(2).map(String.init))
            }
            let help = Ipnd.helpMessage(for: command)
            #expect(!help.contains("9223372036854775807"), "\(name)")
            count += 1
        }
        try check(Ipnd.self, [])
        #expect(count > 35)
    }

    @Test func `the configuration is the named one, then the system's, then the one here`() {
        let file = ConfigurationFile.usual(named:hasSystemFile:)
        #expect(file("/a.yaml", true) == "/a.yaml" && file("/a.yaml", false) == "/a.yaml")
        #expect(file("", true) == "/etc/ipnd/ipnd.yaml" && file("", false) == "ipnd.yaml")
    }

    @Test(arguments: [
        ("127.0.0.1:9090", "http://127.0.0.1:9090/ui/"), ("0.0.0.0:1", "http://127.0.0.1:1/ui/"),
        ("[::]:2", "http://[::1]:2/ui/"), ("[2001:db8::1]:3", "http://[2001:db8::1]:3/ui/"),
        ("127.0.0.1:0", nil), ("unix:/run/ipnd/admin.sock", nil),
    ])
    func `the pages have a URL where a browser reaches them`(_ text: String, _ url: String?) throws
    {
        let address = try #require(SocketAddress(text))
        #expect(address.pagesURL(hasTLS: false) == url)
        #expect(address.pagesURL(hasTLS: true) == url?.replacing("http:", with: "https:"))
    }

    @Test func `every command has a name and an abstract`() {
        func check(_ command: any ParsableCommand.Type) {
            #expect(command.configuration.commandName != nil, "\(command)")
            #expect(!command.configuration.abstract.isEmpty, "\(command)")
            for sub in command.configuration.subcommands { check(sub) }
        }
        check(Ipnd.self)
    }
}
