import Foundation
import Testing

extension Instance {
    /// An instance on a copy of a journal that an earlier binary wrote (History/README.md), with
    /// its keys, not started.
    static func history(journal: String = "journal") throws -> Instance {
        let instance = try Instance(starts: false)
        let history = try #require(Bundle.module.resourceURL).appendingPathComponent("History").path
        for part in ["journal", "keys", "secrets"] {
            let target = "\(instance.folder)/\(part)"
            try? FileManager.default.createDirectory(
                atPath: target, withIntermediateDirectories: true)
            let source = "\(history)/\(part == "journal" ? journal : part)"
            for name in try FileManager.default.contentsOfDirectory(atPath: source) {
                try? FileManager.default.removeItem(atPath: "\(target)/\(name)")
                try FileManager.default.copyItem(
                    atPath: "\(source)/\(name)", toPath: "\(target)/\(name)")
            }
        }
        return instance
    }
}
