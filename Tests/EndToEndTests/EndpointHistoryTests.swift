import Foundation
import TestSupport
import Testing

/// An endpoint name reused for another provider, so that payments of both could be merged into one
/// order.
@Suite(.ownThreads) struct EndpointHistoryTests {
    private static let warning = "endpoint_provider_changed"

    @Test(arguments: StorageKind.all)
    func `an endpoint that had another provider is warned of`(_ storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let sent = try run(
            Binary.ipnd,
            ["send", "--config", instance.configurationFile, "--endpoint", "antom"]
                + ["--url", "http://127.0.0.1:\(instance.port)/ipn/antom"])
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(instance.stop() == 0)
        try instance.start()
        #expect(instance.stop() == 0)
        #expect(!instance.logText.contains(Self.warning))

        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try text.replacing("- name: antom\n", with: "- name: former\n")
            .replacing("- name: citcon\n", with: "- name: antom\n")
            .write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        try instance.start()
        #expect(
            instance.says(
                "\(Self.warning): orders of the endpoint antom came from antom, "
                    + "and it now serves citcon-upi"))
        #expect(!instance.logText.contains("\(Self.warning): orders of the endpoint former"))
    }
}
