import Foundation

/// A program that a test started. It inherits none of the test process's streams and descriptors,
/// leads a process group of its own, and is killed with that group at the latest when this value
/// goes, or when the test process ends, however that ends (`Minder`).
///
/// It begins as a shell starts a program: no signal is blocked and none is ignored, whatever the
/// thread of the test blocks or ignores.
package final class Child: Sendable {
    /// What standard input is.
    package enum Input: Sendable {
        /// The end at once.
        case nothing
        /// What the test writes to `input`.
        case pipe
        case file(String)
    }

    /// Where an output goes.
    package enum Output: Sendable {
        case nothing
        /// To `output` or `errors`, which the test reads.
        case pipe
        /// To the pipe of standard output; for standard error alone.
        case output
        /// To an open descriptor, as of a terminal.
        case descriptor(Int32)
    }

    package struct CannotStart: Error, CustomStringConvertible {
        package let program: String
        package let errno: Int32
        package var description: String { "\(program): \(String(cString: strerror(errno)))" }
    }

    /// Its process, and the process group that it leads.
    package let processIdentifier: pid_t
    /// The end of standard input that the test writes.
    package let input: FileHandle?
    /// The ends that the test reads.
    package let output: FileHandle?
    package let errors: FileHandle?
    private let fate: Fate

    /// - Parameters:
    ///   - program: A path, or a name that is looked up in `PATH`.
    ///   - environment: More variables than this process's.
    ///   - removing: Variables that it does not get.
    ///   - endsByItself: It ends soon after its standard input, and is given the time to remove
    ///     what it made when the test process ends.
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

    /// The exit status, or the number of the signal that ended it; -1 while it runs.
    package var terminationStatus: Int32 { fate.ended?.status ?? -1 }

    package var wasKilled: Bool { fate.ended?.wasKilled ?? false }

    /// Sends a signal, unless it has ended.
    package func signal(_ number: Int32) { fate.signal(number) }

    /// Waits for the end, which `terminationStatus` then tells. What it left of its group is gone.
    @discardableResult
    package func waitUntilExit() -> Int32 { fate.wait().status }

    /// The same for tasks that share their threads with others.
    @discardableResult
    package func ended() async -> Int32 { await fate.end().status }

    /// Kills it and its group, and waits until it is gone.
    package func kill() {
        fate.signal(SIGKILL, toGroup: true)
        _ = fate.wait()
    }
}

/// How a process ended. A thread of its own waits for that.
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
            // It stays a zombie, and its number its own, until the rest of its group is killed.
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
