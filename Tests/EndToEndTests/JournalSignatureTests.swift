import Foundation
import TestSupport
import Testing

/// `ipnd journal verify --config` with the real binary.
@Suite(.ownThreads) struct JournalSignatureTests {
    private func verify(_ instance: Instance) throws -> Finished {
        try run(
            Binary.ipnd,
            ["journal", "verify", instance.journal, "--config", instance.configurationFile])
    }

    private func send(_ instance: Instance, _ endpoint: String, _ reference: String) throws {
        let sent = try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", endpoint,
                "--reference", reference, "--url", "http://127.0.0.1:\(instance.port)",
                "--to-live",
            ])
        try #require(sent.status == 0, "\(sent.output)\(sent.errors)")
    }

    private func change(_ instance: Instance, _ edit: (String) -> String) throws {
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        let changed = edit(text)
        try #require(changed != text)
        try changed.write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
    }

    @Test func `signed times are judged by the time of receipt`() throws {
        let instance = try Instance()
        for endpoint in ["standard-webhooks", "standard-webhooks-v1a", "stripe"] {
            try send(instance, endpoint, "T-1")
        }
        let sent = Date()
        instance.stop()
        // A shorter tolerance than the server's, and than the duration of this test.
        try change(instance) {
            ["standard-webhooks", "stripe"].reduce($0) { text, provider in
                text.replacing(
                    "provider: \(provider)\n",
                    with: "provider: \(provider)\n    toleranceSeconds: 3\n")
            }
        }
        #expect(eventually { Date() > sent + 4 })
        let verified = try verify(instance)
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(verified.output.contains("signatures   3 verified, 0 failed\n"))
    }

    @Test func `keys that were removed are a result of their own`() throws {
        let instance = try Instance()
        let secret = "\(instance.folder)/secrets/hmac"
        for endpoint in ["antom", "hmac"] { try send(instance, endpoint, "K-1") }
        instance.stop()
        let old = try String(contentsOfFile: secret, encoding: .utf8)
        try "another secret\n".write(toFile: secret, atomically: true, encoding: .utf8)
        let gone = try verify(instance)
        #expect(gone.status == 1, "\(gone.output)\(gone.errors)")
        #expect(gone.output.contains("1 verified, 0 failed, 1 whose key is no longer configured"))
        #expect(gone.output.contains("endpoint hmac, key 1: 1 record"))
        // The records of the next key verify: the removed key is still reported, but it is not an
        // error.
        try instance.start()
        try send(instance, "hmac", "K-2")
        instance.stop()
        #expect(try verify(instance).status == 1)
        // After a record that verifies, an unverifiable one with the same key was changed.
        try old.write(toFile: secret, atomically: true, encoding: .utf8)
        let wrong = try verify(instance)
        #expect(wrong.status == 72)
        #expect(wrong.errors.contains("signature_mismatch"))
    }

    @Test func `what is wrong whatever the keys are is damage`() throws {
        let instance = try Instance()
        try send(instance, "hmac", "D-1")
        instance.stop()
        try change(instance) { $0.replacing("header: x-signature", with: "header: x-other") }
        let verified = try verify(instance)
        #expect(verified.status == 72)
        #expect(verified.errors.contains("missing_header"))
    }
}
