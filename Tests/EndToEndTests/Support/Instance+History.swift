import Foundation
import TestSupport
import Testing

extension Instance {
    /// An instance on a copy of the journal in History (see its README.md), with its keys, not
    /// started.
    static func history() throws -> Instance {
        let instance = try Instance(starts: false)
        let history = try #require(Bundle.module.resourceURL).appendingPathComponent("History").path
        for part in ["journal", "keys", "secrets"] {
            let target = "\(instance.folder)/\(part)"
            try? FileManager.default.createDirectory(
                atPath: target, withIntermediateDirectories: true)
            let source = "\(history)/\(part)"
            for name in try FileManager.default.contentsOfDirectory(atPath: source) {
                try? FileManager.default.removeItem(atPath: "\(target)/\(name)")
                try FileManager.default.copyItem(
                    atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
            }
        }
        return instance
    }

    /// Runs until there is a second segment, and deletes the first one, as retention does: only a
    /// snapshot has its content then. The instance is stopped afterwards.
    ///
    /// - Returns: The last record's sequence number.
    @discardableResult
    func loseTheBeginning() throws -> Int {
        let text = try String(contentsOfFile: configurationFile, encoding: .utf8)
        try text.replacing(
            #/journal: \{directory: [^}]*\}/#,
            with: "journal: {directory: journal, segmentMiB: 2, snapshotRecords: 1, "
                + "indexWaitSeconds: 60}\nlimits: {bodyBytesMax: 262144}"
        )
        .write(toFile: configurationFile, atomically: true, encoding: .utf8)
        try start()
        let webhook = try SignedWebhook(self)
        let client = try client()
        let count = 52
        for number in 1...count {
            let padding = number <= 22 ? 100_000 : 0
            try client.send(webhook.request("FILL-\(number)", padding: padding))
            try #require(try client.receive().status == 200)
        }
        // The records in the second segment are more than a quarter of all, so that a snapshot of
        // them is due. It is written at low priority.
        try #require(
            eventually(World.patience) { try isFirstSegmentCovered() }, "no snapshot was written")
        let last = try #require(
            try admin().get("/orders/hmac/FILL-\(count)").object()["last"] as? Int)
        stop()
        try text.write(toFile: configurationFile, atomically: true, encoding: .utf8)
        let files = FileManager.default
        try files.removeItem(atPath: "\(journal)/0000000001.segment")
        // Without this file, the first remaining segment is taken for the beginning.
        try files.removeItem(atPath: "\(journal)/identity")
        return last
    }

    /// Whether a snapshot extends into the second segment.
    private func isFirstSegmentCovered() throws -> Bool {
        func numbers(_ suffix: String) throws -> [Int] {
            try FileManager.default.contentsOfDirectory(atPath: journal)
                .filter { $0.hasSuffix(suffix) }.compactMap { Int($0.prefix(10)) }.sorted()
        }
        let second = try numbers(".segment").dropFirst().first
        guard let second, let newest = try numbers(".snapshot").last else { return false }
        return newest >= second
    }
}
