import Foundation

/// A program that a test started. It inherits none of the test process's streams and descriptors,
/// leads its own process group, and is killed with that group when this value is released or when
/// the test process ends for any reason (`Minder`).
///
/// It starts like a program of a shell: no signal is blocked or ignored, whatever the test's thread
/// blocks or ignores.
package final class Child: Sendable {
    /// The source of standard input.
    package enum Input: Sendable {
        /// Empty input.
        case nothing
        /// Bytes that the test writes to `input`.
        case pipe
        case file(String)
    }

    /// The destination of an output.
    package enum Output: Sendable {
        case nothing
        /// `output` or `errors`, which the test reads.
        case pipe
        /// The pipe of standard output; for standard error only.
        case output
        /// An open descriptor, e.g. of a terminal.
        case descriptor(Int32)
    }

    package struct CannotStart: Error, CustomStringConvertible {
        package let program: String
        package let errno: Int32
        package var description: String { "\(program): \(String(cString: strerror(errno)))" }
    }

    /// The process and the process group that it leads.
    package let processIdentifier: pid_t
    /// The end of standard input that the test writes to.
    package let input: FileHandle?
    /// The ends that the test reads from.
    package let output: FileHandle?
    package let errors: FileHandle?
    private let fate: Fate

    /// - Parameters:
    ///   - program: A path, or a name that is looked up in `PATH`.
    ///   - environment: Variables in addition to those of this process.
    ///   - removing: Variables that are removed.
    ///   - endsByItself: Whether the program ends soon after its standard input, so that it gets
    ///     time to remove its files when the test process ends.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:],
        removing: Set<String> = [], input: Input = .nothing, output: Output = .nothing,
        errors: Output = .nothing, endsByItself: Bool = false
    ) throws {
        var files = SpawnFiles()
        defer { files.closeTheirs() }
        self.input = try files.addInput(input)
        self.output = try files.add(output, as: 1)
        self.errors = try files.add(errors, as: 2)
        var variables = ProcessInfo.processInfo.environment.filter { !removing.contains($0.key) }
        variables.merge(environment) { $1 }
        variables[Minder.mark.name] = Minder.mark.value
        let isPath = program.contains("/")
        processIdentifier = try files.spawn(
            isPath ? program : "/usr/bin/env", (isPath ? [] : [program]) + arguments, variables)
        Minder.common.watch(processIdentifier, endsByItself: endsByItself)
        fate = Fate(of: processIdentifier)
    }

    deinit {
        try? input?.close()
        fate.signal(SIGKILL, toGroup: true)
        _ = fate.wait()
    }

    package var isRunning: Bool { fate.ended == nil }

    /// The exit status, or the number of the signal that ended it; -1 while it is running.
    package var terminationStatus: Int32 { fate.ended?.status ?? -1 }

    package var wasKilled: Bool { fate.ended?.wasKilled ?? false }

    /// Sends a signal unless the process has ended.
    package func signal(_ number: Int32) { fate.signal(number) }

    /// Waits until the process has ended and the rest of its group was killed; sets
    /// `terminationStatus`.
    @discardableResult
    package func waitUntilExit() -> Int32 { fate.wait().status }

    /// The same for tasks that share their threads.
    @discardableResult
    package func ended() async -> Int32 { await fate.end().status }

    /// Kills the process and its group, and waits until it has ended.
    package func kill() {
        fate.signal(SIGKILL, toGroup: true)
        _ = fate.wait()
    }
}

/// The end of a process, awaited by its own thread.
///
/// `@unchecked Sendable`: the variables are read and written under `condition` only.
private final class Fate: @unchecked Sendable {
    struct End {
        let status: Int32
        let wasKilled: Bool
    }

    private let process: pid_t
    private let condition = NSCondition()
    private var end: End?
    private var waiting: [CheckedContinuation<End, Never>] = []

    var ended: End? { condition.withLock { end } }

    init(of process: pid_t) {
        self.process = process
        Thread.detachNewThread { [self] in
            var what = siginfo_t()
            // It remains a zombie, so its number is not reused, until the rest of its group was
            // killed.
            while waitid(P_PID, id_t(process), &what, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            settle()
        }
    }

    private func settle() {
        condition.lock()
        Foundation.kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // WIFSIGNALED and the like are macros, which Swift does not import (wait(2)).
        let signal = status & 0x7F
        let end = End(
            status: signal == 0 ? (status >> 8) & 0xFF : signal, wasKilled: signal != 0)
        self.end = end
        let all = waiting
        waiting = []
        condition.broadcast()
        condition.unlock()
        Minder.common.forget(process)
        for continuation in all { continuation.resume(returning: end) }
    }

    func signal(_ number: Int32, toGroup: Bool = false) {
        condition.withLock {
            if end == nil { Foundation.kill(toGroup ? -process : process, number) }
        }
    }

    func wait() -> End {
        condition.withLock {
            while true {
                if let end { return end }
                condition.wait()
            }
        }
    }

    func end() async -> End {
        await withCheckedContinuation { continuation in
            let known: End? = condition.withLock {
                if end == nil { waiting.append(continuation) }
                return end
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
