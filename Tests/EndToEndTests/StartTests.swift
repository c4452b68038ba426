import Foundation
import TestSupport
import Testing

/// Failures of a start: one clear message, and an exit status for the service manager.
@Suite(.ownThreads) struct StartTests {
    /// An error in the configuration.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let name: String
        /// The text in the configuration that `init` created, and its replacement.
        let old: String
        let new: String
        /// The required parts of the message.
        let message: [String]
        var testDescription: String { name }
    }

    static let mistakes: [Mistake] = [
        Mistake(
            name: "an unknown key", old: "journal: {directory: journal}",
            new: "journal: {directory: journal}\njurnal: 1", message: ["ipnd.yaml:", "jurnal"]),
        Mistake(
            name: "a missing key file", old: "file: keys/antom.pem", new: "file: keys/none.pem",
            message: ["ipnd.yaml:", "none.pem"]),
        Mistake(
            name: "a private key given as public", old: "file: keys/antom.pem",
            new: "file: sandbox/antom.pem", message: ["ipnd.yaml:", "private"]),
        Mistake(
            name: "two endpoints on one path", old: "path: /ipn/citcon\n",
            new: "path: /ipn/antom\n",
            message: ["ipnd.yaml:", "/ipn/antom"]),
        Mistake(
            name: "an address that is none", old: "\"127.0.0.1:0\"\nadmin",
            new: "\"nowhere\"\nadmin",
            message: ["ipnd.yaml:", "nowhere"]),
        Mistake(
            name: "no YAML at all", old: "endpoints:", new: "endpoints: [[[",
            message: ["ipnd.yaml:"]),
    ]

    @Test(arguments: mistakes)
    func `a mistake in the configuration is status 78 and names the line`(_ mistake: Mistake) throws
    {
        let instance = try Instance(
            edit: { text in
                #expect(text.contains(mistake.old), "the sample has changed: \(text)")
                return text.replacingOccurrences(of: mistake.old, with: mistake.new)
            }, starts: false)
        for finished in [
            try refusedStart(instance.configurationFile),
            try run(Binary.ipnd, ["check", "--config", instance.configurationFile]),
        ] {
            #expect(finished.status == 78)
            for part in mistake.message {
                #expect((finished.errors + finished.output).contains(part), "\(finished.errors)")
            }
        }
    }

    @Test func `a configuration that does not exist is status 78`() throws {
        let finished = try refusedStart("/nonexistent/ipnd.yaml")
        #expect(finished.status == 78)
        #expect(finished.errors.contains("/nonexistent/ipnd.yaml"))
    }

    @Test func `a taken port is status 71`() throws {
        let first = try Instance()
        let second = try Instance(
            edit: {
                $0.replacingOccurrences(
                    of: #"- address: "127.0.0.1:0""#, with: "- address: 127.0.0.1:\(first.port)")
            }, starts: false)
        let finished = try refusedStart(second.configurationFile)
        #expect(finished.status == 71)
        #expect(finished.errors.contains("127.0.0.1:\(first.port)"))
        // Only root sees whose it is: ipnd is not dumpable, so that its files are root's.
        let owner = "by process \(first.process.processIdentifier) (ipnd)"
        #expect(finished.errors.contains(owner) || geteuid() != 0)
    }

    /// An address that another machine has now may move here with the next failover.
    @Test func `an address of another machine is status 71`() throws {
        let instance = try Instance(
            edit: {
                $0.replacingOccurrences(
                    of: #"- address: "127.0.0.1:0""#, with: "- address: 192.0.2.1:8080")
            }, starts: false)
        let finished = try refusedStart(instance.configurationFile)
        #expect(finished.status == 71)
        #expect(finished.errors.contains("192.0.2.1:8080"))
    }

    @Test func `a locked journal is status 72`() throws {
        let instance = try Instance()
        let finished = try refusedStart(instance.configurationFile)
        #expect(finished.status == 72)
        #expect(finished.errors.contains(instance.journal))
    }

    @Test func `a damaged journal is status 72 and names file and offset`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        for number in 0..<3 {
            try client.send(antom.delivery(reference: "DAMAGE-\(number)").request())
            #expect(try client.receive().status == 200)
        }
        // Killed, so that no snapshot replaces the segment.
        instance.stop(SIGKILL)
        let segment = "\(instance.journal)/0000000001.segment"
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: segment))
        // Damage in the middle of the first frame's record.
        try handle.seek(toOffset: 1200)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: 1200)
        try handle.write(contentsOf: Data([byte ^ 1]))
        try handle.close()
        let finished = try refusedStart(instance.configurationFile)
        #expect(finished.status == 72)
        #expect(finished.errors.contains("0000000001.segment"))
        #expect(finished.errors.contains("byte"))
        let verified = try run(Binary.ipnd, ["journal", "verify", instance.journal])
        #expect(verified.status == 72)
    }

    @Test func `init refuses to overwrite a configuration`() throws {
        let instance = try Instance(starts: false)
        let finished = try run(Binary.ipnd, ["init", instance.folder])
        #expect(finished.status == 78)
    }

    @Test func `an unknown option is status 64`() throws {
        #expect(try run(Binary.ipnd, ["serve", "--nonsense"]).status == 64)
    }
}
