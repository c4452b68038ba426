import Foundation

/// The programs that these tests run.
enum Binary {
    /// The ipnd that was built beside the tests, or the one that `IPND_BINARY` names.
    static let ipnd: String = {
        if let named = ProcessInfo.processInfo.environment["IPND_BINARY"] { return named }
        return built("ipnd")
    }()

    /// `ipnd-bench`, which fills histories and echoes requests.
    static let bench = built("ipnd-bench")

    private static func built(_ name: String) -> String {
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return runner.deletingLastPathComponent().appendingPathComponent(name).path
    }
}
