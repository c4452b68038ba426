import Foundation
import TestSupport
import Testing

/// Programs started by a test end with the test process, even if that is killed.
@Suite(.ownThreads) struct MinderTests {
    private static let variable = "IPND_MINDED"
    private static let folder = ProcessInfo.processInfo.environment[variable]

    @Test(.enabled(if: folder == nil)) func `nothing is left of a test process that is killed`()
        throws
    {
        let folder = TemporaryFolder()
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let process = try Child(
            tests,
            [
                "--testing-library", "swift-testing", "--filter",
                "MinderTests.programsThatWaitForTheirEnd",
            ], environment: [Self.variable: folder.path], output: .pipe, errors: .output)
        let log = Box("")
        if let output = process.output { _ = LogReader(output, into: log) }
        let isStarted = eventually { folder.exists("started") || !process.isRunning }
        try #require(isStarted && folder.exists("started"), "\(log.get())")
        let processes = try folder.text("started").split(separator: "\n").compactMap { pid_t($0) }
        #expect(processes.count >= 3 && processes.allSatisfy(Self.isAlive))
        // Files that tests remove themselves, and files that the minder removes.
        let places = try folder.text("places").split(separator: "\n").map(String.init)
        #expect(places.allSatisfy(FileManager.default.fileExists(atPath:)))
        process.signal(SIGKILL)
        process.waitUntilExit()
        #expect(eventually { !processes.contains(where: Self.isAlive) })
        #expect(eventually { !places.contains(where: FileManager.default.fileExists(atPath:)) })
    }

    /// The killed test process of the test above.
    @Test(.enabled(if: folder != nil)) func programsThatWaitForTheirEnd() throws {
        let folder = try #require(Self.folder)
        let temporary = TemporaryFolder()
        // A leader of a group, a member that ignores signals, and a process that has left the
        // group.
        let script = """
            (trap '' HUP TERM; while :; do sleep 1; done) & echo $!
            setsid sleep 100000 & echo $!
            echo ready; sleep 100000
            """
        let shell = try Child("/bin/sh", ["-c", script], output: .pipe)
        let log = Box("")
        if let output = shell.output { _ = LogReader(output, into: log) }
        try #require(eventually { log.get().contains("ready") })
        let gentle = try Child(
            "/bin/sh", ["-c", "cat; rm \"$1\"", "sh", "\(folder)/kept"], input: .pipe,
            endsByItself: true)
        // Its server is killed before it can remove it, as by scripts/test.
        let elsewhere = "/tmp/ipnd-minder-\(getpid())"
        Minder.common.remove(elsewhere)
        try FileManager.default.createDirectory(
            atPath: elsewhere, withIntermediateDirectories: false)
        try "\(temporary.path)\n\(folder)/kept\n\(elsewhere)\n"
            .write(toFile: "\(folder)/places", atomically: true, encoding: .utf8)
        try "".write(toFile: "\(folder)/kept", atomically: true, encoding: .utf8)
        let mine = "\(shell.processIdentifier)\n\(gentle.processIdentifier)\n"
        try (mine + log.get()).write(
            toFile: "\(folder)/started", atomically: true, encoding: .utf8)
        gentle.waitUntilExit()
    }

    /// A program inherits only its three descriptors, and no blocked or ignored signals.
    @Test(.enabled(if: folder == nil)) func `a program inherits nothing`() throws {
        let status = try run("cat", ["/proc/self/status"])
        for name in ["SigBlk:", "SigIgn:"] {
            let line = try #require(status.lines.first { $0.hasPrefix(name) })
            let signals = UInt64(line.split(separator: "\t").last ?? "", radix: 16)
            // Signals 32 and 33 are glibc's own.
            #expect(signals.map { $0 & 0x7FFF_FFFF } == 0, "\(line)")
        }
        let descriptors = try run("ls", ["/proc/self/fd"])
        // The fourth is the folder that ls reads.
        #expect(descriptors.lines == ["0", "1", "2", "3"])
        let group = try run("/bin/sh", ["-c", "echo $$; cut -d' ' -f5 /proc/$$/stat"])
        #expect(group.lines.first == group.lines.last)
    }

    private static func isAlive(_ process: pid_t) -> Bool {
        let path = "/proc/\(process)/stat"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        // A zombie is not a running program.
        return !text.contains(") Z ")
    }
}
