import ArgumentParser
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

    @Test func `every command has a name and an abstract`() {
        func check(_ command: any ParsableCommand.Type) {
            #expect(command.configuration.commandName != nil, "\(command)")
            #expect(!command.configuration.abstract.isEmpty, "\(command)")
            for sub in command.configuration.subcommands { check(sub) }
        }
        check(Ipnd.self)
    }
}
