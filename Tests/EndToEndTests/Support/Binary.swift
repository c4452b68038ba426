import Foundation

/// The program that these tests run.
enum Binary {
    /// The ipnd that was built beside the tests, or the one that `IPND_BINARY` names.
    static let ipnd: String = {
        if let named = ProcessInfo.processInfo.environment["IPND_BINARY"] { return named }
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return runner.deletingLastPathComponent().appendingPathComponent("ipnd").path
    }()
}
