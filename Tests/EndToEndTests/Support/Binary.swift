import Foundation
import TestSupport

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

/// Runs a server that is to refuse its start. One that starts after all is ended after two minutes,
/// with status 124.
func refusedStart(
    _ configuration: String, _ arguments: [String] = [], wrapper: [String] = [],
    environment: [String: String] = [:]
) throws -> Finished {
    try run(
        "/usr/bin/timeout",
        ["120"] + wrapper + [Binary.ipnd, "serve", "--config", configuration] + arguments,
        environment: environment)
}
