import Foundation
import TestSupport
import Testing

/// Output that cannot be written is an error: a truncated backup must not look complete.
@Suite(.ownThreads) struct OutputTests {
    private static func shell(_ command: String) throws -> (
        status: Int32, text: String, errors: String
    ) {
        let made = try run("/bin/bash", ["-c", command])
        return (made.status, made.output, made.errors)
    }

    /// A stopped instance with a few records in its journal.
    private static func stopped(_ records: Int) throws -> Instance {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        for number in 1...records {
            try instance.deliver(antom.delivery(reference: "O-\(number)").request())
        }
        #expect(instance.stop() == 0)
        return instance
    }

    @Test func `a full or closed output is an error for every command`() throws {
        let instance = try Self.stopped(3)
        for command in [
            "journal cat \(instance.journal)", "journal stat \(instance.journal)",
            "journal verify \(instance.journal)", "events --journal \(instance.journal)",
            "orders --journal \(instance.journal)", "check --config \(instance.configurationFile)",
            "rejections --config \(instance.configurationFile)", "--help", "journal --help",
            "init \(instance.folder)/again",
        ] {
            let full = try Self.shell("'\(Binary.ipnd)' \(command) > /dev/full")
            #expect(full.status == 74, "\(command)")
            #expect(full.errors.contains("standard output cannot be written"), "\(command)")
            #expect(try Self.shell("'\(Binary.ipnd)' \(command) >&-").status != 0, "\(command)")
        }
        // A reader that closes the pipe early is not an error.
        let head = try Self.shell(
            "'\(Binary.ipnd)' journal cat \(instance.journal) | head -1; exit ${PIPESTATUS[0]}")
        #expect(head.status == 0)
        #expect(head.text.contains("\"sequence\":1,"))
    }

    /// Regression: with standard error closed, the log was written to a file that got its
    /// descriptor.
    @Test func `a closed standard error is no file of the journal`() throws {
        let instance = try Instance(starts: false)
        instance.launcher = [
            "/bin/bash", "-c",
            "exec '\(Binary.ipnd)' serve --config \(instance.configurationFile) 2>&-",
        ]
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "O-1").request())
        #expect(instance.stop() == 0)
        #expect(try run(Binary.ipnd, ["journal", "verify", instance.journal]).status == 0)
    }

    @Test func `the records before the damage are printed`() throws {
        let instance = try Self.stopped(8)
        let segment = "\(instance.journal)/0000000001.segment"
        let file = try #require(FileHandle(forUpdatingAtPath: segment))
        let bytes = try #require(try file.readToEnd())
        let place = try #require(bytes.range(of: Data("\"reference\":\"O-6\"".utf8)))
        try file.seek(toOffset: UInt64(place.lowerBound + 14))
        try file.write(contentsOf: Data("X".utf8))
        try file.close()
        for command in [
            "journal cat \(instance.journal)", "events --json --journal \(instance.journal)",
        ] {
            let made = try Self.shell("'\(Binary.ipnd)' \(command)")
            #expect(made.status == 72)
            #expect(made.text.split(separator: "\n").count == 5, "\(command)")
            #expect(made.errors.contains("0000000001.segment"))
        }
    }

    /// Pages with more JSON values than a notification may have.
    @Test func `events with many headers are listed`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        let headers = (1...90).map { "X-H\($0): v\r\n" }.joined()
        for number in 1...450 {
            var text = String(
                decoding: try antom.delivery(reference: "O-\(number)").request(), as: UTF8.self)
            text = text.replacingOccurrences(of: "\r\nHost:", with: "\r\n\(headers)Host:")
            try client.send(text)
            try #require(try client.receive().status == 200)
        }
        let listed = try run(
            Binary.ipnd,
            [
                "events", "--json", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ])
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(listed.output.split(separator: "\n").count == 450)
        #expect(instance.stop() == 0)
    }

    /// More orders than one page holds, each with a dozen values.
    @Test func `orders of a journal are listed beyond a page`() throws {
        let instance = try Instance(starts: false)
        let filled = try run(
            Binary.bench,
            [
                "fill", "--config", instance.configurationFile, "--endpoint", "antom", "--count",
                "9000",
            ])
        try #require(filled.status == 0, "\(filled.errors)")
        let journal = instance.journal
        let listed = try run(
            Binary.ipnd, ["orders", "--json", "--journal", journal, "--limit", "9000"])
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(listed.output.split(separator: "\n").count == 9000)
    }
}
