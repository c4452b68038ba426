import Foundation
import TestSupport
import Testing

/// The programs of Tests/Examples/with-hummingbird that use the library: `scripts/test --all`
/// builds them and runs these tests.
@Suite(.ownThreads) struct HummingbirdReceiverTests {
    private let folder = TemporaryFolder()
    private static let programs = ProcessInfo.processInfo.environment["IPND_EXAMPLES"]

    /// Keys, and no admin listener at which `ipnd send` would look for the order.
    private func sandbox() throws -> Instance {
        try Instance(
            edit: { text in
                text.split(separator: "\n", omittingEmptySubsequences: false)
                    .filter { !$0.hasPrefix("admin:") }.joined(separator: "\n")
            }, starts: false)
    }

    @Test(
        .enabled(if: programs != nil, "scripts/test --all builds the examples"),
        arguments: ["antom", "stripe"])
    func `it keeps what ipnd sends, and refuses what is forged`(endpoint: String) throws {
        let programs = try #require(Self.programs)
        let sandbox = try sandbox()
        let port = try FreePort.take()
        func start() throws -> BackgroundProgram {
            let receiver = try BackgroundProgram(
                "/bin/sh",
                [
                    "-c", "STRIPE_SECRET=$(cat \(sandbox.folder)/secrets/stripe) exec \"$@\"", "sh",
                    "/usr/bin/env", "-C", folder.path, "PORT=\(port)", "ANTOM_CLIENT_ID=SANDBOX_1",
                    "ANTOM_KEY=\(sandbox.folder)/keys/antom.pem", "\(programs)/NotificationServer",
                ])
            try #require(try receiver.connect(port: port) != nil, "\(receiver.output)")
            return receiver
        }
        var receiver = try start()
        defer { receiver.kill() }
        func send(_ arguments: String...) throws -> String {
            let sent = try run(
                Binary.ipnd,
                [
                    "send", "--config", sandbox.configurationFile, "--endpoint", endpoint,
                    "--url", "http://127.0.0.1:\(port)",
                ] + arguments)
            #expect(sent.status == 0, "\(sent)\(receiver.output)")
            return sent.output
        }
        func order(_ reference: String) throws -> String {
            try run(
                "/usr/bin/env",
                [
                    "curl", "--silent", "--max-time", "60",
                    "http://127.0.0.1:\(port)/orders/\(endpoint)/\(reference)",
                ]
            ).output
        }
        _ = try send("--reference", "R-1", "--repeat", "3")
        #expect(try order("R-1").hasPrefix("paid captured 42.00 MYR refunded 0.00 MYR "))
        _ = try send("--reference", "R-2", "--scenario", "refund")
        #expect(try order("R-2").hasPrefix("refunded captured 42.00 MYR refunded 42.00 MYR "))
        _ = try send("--reference", "R-3", "--scenario", "bad-signature")
        #expect(try order("R-3").contains("captured") == false)
        #expect(receiver.output.contains("signature"), "\(receiver.output)")

        receiver.kill()
        receiver = try start()
        #expect(try order("R-1").hasPrefix("paid captured 42.00 MYR"))
    }

    @Test(.enabled(if: programs != nil, "scripts/test --all builds the examples"))
    func `a captured request is verified, or the reason is named`() throws {
        let programs = try #require(Self.programs)
        let sandbox = try sandbox()
        let antom = try SandboxProvider("antom", of: sandbox)
        let paid = try antom.delivery(reference: "V-1")
        func verify(_ request: [UInt8]) throws -> (status: Int32, output: String) {
            let file = "\(folder.path)/request.http"
            try Data(request).write(to: URL(filePath: file))
            let ended = try run(
                "/bin/sh",
                [
                    "-c", "exec \"$@\" < \(file)", "sh", "\(programs)/Verify", "antom",
                    "clientID=SANDBOX_1",
                    "keys="
                        + String(
                            contentsOfFile: "\(sandbox.folder)/keys/antom.pem", encoding: .utf8),
                ])
            return (ended.status, ended.output)
        }
        let genuine = try verify(paid.request())
        #expect(genuine.status == 0 && genuine.output.hasPrefix("payment paid V-1 "), "\(genuine)")
        let forged = try verify(paid.replacing(body: Array(paid.body.dropLast())).request())
        #expect(forged.status == 1, "\(forged)")
        #expect(forged.output.hasPrefix("refused: signature_mismatch"), "\(forged)")
    }
}
