import Foundation
import TestSupport
import Testing

/// Compiles the Swift verification of config/delivery.md verbatim and runs it on a real message.
///
/// The module `Crypto` is a substitute for swift-crypto, whose build takes longer than all of these
/// tests: it has the interface that the example uses and computes the HMAC with libcrypto.
@Suite(.ownThreads) struct SwiftReceiverTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    private static let crypto = """
        import Foundation
        @_silgen_name("HMAC") func hmac(
            _ digest: OpaquePointer?, _ key: UnsafePointer<UInt8>, _ keyCount: Int32,
            _ bytes: UnsafePointer<UInt8>, _ count: Int, _ code: UnsafeMutablePointer<UInt8>,
            _ codeCount: UnsafeMutablePointer<UInt32>) -> OpaquePointer?
        @_silgen_name("EVP_sha256") func sha256() -> OpaquePointer?
        public struct SymmetricKey {
            let bytes: [UInt8]
            public init<D: ContiguousBytes>(data: D) { bytes = data.withUnsafeBytes(Array.init) }
        }
        public enum SHA256 {}
        public enum HMAC<H> {
            public static func isValidAuthenticationCode<C: ContiguousBytes, D: DataProtocol>(
                _ code: C, authenticating data: D, using key: SymmetricKey
            ) -> Bool {
                var made = [UInt8](repeating: 0, count: 32), count: UInt32 = 0
                let bytes = Array(data)
                _ = hmac(
                    sha256(), key.bytes, Int32(key.bytes.count), bytes, bytes.count, &made, &count)
                return code.withUnsafeBytes { Array($0) == made }
            }
        }

        """

    /// Reads a request from a file and prints whether it is authentic.
    private static let main = """
        import Foundation
        let words = CommandLine.arguments
        let text = try String(contentsOfFile: words[1], encoding: .utf8)
        let parts = text.components(separatedBy: "\\r\\n\\r\\n")
        let lines = parts[0].components(separatedBy: "\\r\\n")
        func header(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
        print(isGenuine(Data(parts[1].utf8), header, secret: words[2]))

        """

    @Test(.enabled(if: installedProgram("swiftc") != nil, "swiftc is not in the PATH"))
    func `the Swift example verifies an event`() throws {
        let folder = TemporaryFolder()
        let program = try Self.compile(in: folder)
        let message = try Self.message()
        func judge(_ message: String, _ secret: String) throws -> String {
            let file = try folder.write("message", message)
            let judged = try run(program, [file, secret])
            return "\(judged.output)\(judged.errors)"
        }
        #expect(try judge(message, Self.secret) == "true\n")
        #expect(try judge(message, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") == "false\n")
        #expect(try judge(message.replacing("4200", with: "4300"), Self.secret) == "false\n")
        let old = message.replacing(/webhook-timestamp: 1/, with: "webhook-timestamp: 0")
        #expect(try judge(old, Self.secret) == "false\n")
    }

    private static func compile(in folder: TemporaryFolder) throws -> String {
        let compiler = try #require(installedProgram("swiftc"))
        let page = try SourceTree.text("config/delivery.md")
        let start = try #require(page.range(of: "\n```swift\n"))
        let end = try #require(page[start.upperBound...].range(of: "\n```"))
        let example = page[start.upperBound..<end.lowerBound] + "\n"
        let files = [
            try folder.write("hook.swift", String(example)), try folder.write("main.swift", main),
        ]
        let library = try run(
            compiler,
            [
                "-emit-module", "-emit-library", "-static", "-module-name", "Crypto", "-o",
                folder.file("libCrypto.a"), "-emit-module-path", folder.file("Crypto.swiftmodule"),
                try folder.write("crypto/Crypto.swift", crypto),
            ])
        try #require(library.status == 0, "\(library.errors)")
        let program = try run(
            compiler,
            ["-I", folder.path, "-L", folder.path, "-o", folder.file("hook")] + files
                + ["-lCrypto", "-lcrypto"])
        try #require(program.status == 0, "\(program.errors)")
        return folder.file("hook")
    }

    /// A message as `ipnd listen` sends it, head and body.
    private static func message() throws -> String {
        let receiver = try LocalServer { peer in
            if peer.readRequest() != nil { peer.write(LocalServer.answer(204)) }
        }
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "E-1").request())
        let secret = TemporaryFolder()
        let told = try run(
            Binary.ipnd,
            [
                "listen", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)", "--forward",
                "http://127.0.0.1:\(receiver.port)/payments", "--after", "0", "--limit", "1",
                "--secret-file", secret.write("secret", Self.secret),
            ])
        try #require(told.status == 0, "\(told)")
        return try #require(receiver.requests.first)
    }
}
