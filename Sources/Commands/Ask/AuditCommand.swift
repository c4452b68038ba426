import AdminAPI
import ArgumentParser
import Console
import Glibc
import Platform

import struct Payments.Timestamp

/// `ipnd audit`
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List who did or saw what, newest last, or verify the audit trail.",
        discussion: """
            The admin listener records every act and every look at personal data (`audit:` in the \
            configuration). Reads the files of this machine, so no server needs to run. \
            Repetitions within a minute are counted in one entry.

            --verify checks that no entry was changed, inserted or removed. It cannot notice that \
            the newest entries were cut off: send copies to another system, with --json.

            Example: ipnd audit --who alice --since 2026-05-01
            """)

    @OptionGroup var file: ConfigurationOption
    @Option(
        help: "Read this trail's directory instead; needs no configuration.",
        completion: .directory)
    var directory: String?
    @Option(help: "Only entries of this person.") var who: String?
    @Option(help: "Only this activity, such as read_order.") var what: String?
    @Option(help: "Only entries whose order or destination contains this text.") var on: String?
    @Option(help: "Only entries from this time on, such as 2026-05-17 or 2026-05-17T08:00:00Z.")
    var since: String?
    @Option(help: "Maximum number shown; the newest are kept.") var limit = 100
    @Flag(help: "Print JSON Lines.") var json = false
    @Flag(help: "Check the chain of hashes instead of listing.") var verify = false
    @OptionGroup var display: TerminalOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
        if let what, AuditEntry.What(rawValue: what) == nil {
            let known = AuditEntry.What.allCases.map(\.rawValue)
            throw ValidationError(
                "--what: " + KnownNames.complaint("activity", what, among: known))
        }
        if since != nil, start == nil {
            throw ValidationError("--since must be a date or a time, such as 2026-05-17")
        }
    }

    private var start: Timestamp? {
        since.flatMap { Timestamp(iso8601: $0) ?? Timestamp(iso8601: "\($0)T00:00:00Z") }
    }

    func run() throws {
        let folder = try directory ?? file.load().audit.directory
        guard access(folder, F_OK) == 0 else {
            StandardError.print("ipnd audit: \(folder) does not exist")
            throw ExitCode(EX_NOINPUT)
        }
        guard access(folder, R_OK | X_OK) == 0 else {
            let problem = String(cString: strerror(errno))
            StandardError.print("ipnd audit: \(folder) cannot be read: \(problem)")
            throw ExitCode(EX_NOINPUT)
        }
        if verify { return try check(folder) }
        let start = start
        let entries = AuditTrail.newest(in: folder, limit: limit) { entry in
            (who == nil || entry.who == who) && (what == nil || entry.what == what)
                && (on == nil || entry.on?.contains(on ?? "") == true)
                && (start.map { $0 <= entry.time } ?? true)
        }
        show(entries.reversed())
    }

    private func check(_ folder: String) throws {
        let verdict = AuditTrail.verify(folder)
        for problem in verdict.problems { StandardOutput.print(problem) }
        let range = verdict.first.flatMap { first in
            verdict.last.map { ", \(first) to \($0)" }
        }
        let result = verdict.problems.isEmpty ? "ok" : "damaged"
        StandardOutput.print(
            "\(result): \(counted(verdict.entries, "audit record"))\(range ?? "")")
        if !verdict.problems.isEmpty { throw ExitCode(EX_DATAERR) }
    }

    private func show(_ entries: [AuditEntry]) {
        if json {
            for entry in entries {
                guard StandardOutput.write(entry.json() + [UInt8(ascii: "\n")]) else { return }
            }
            return
        }
        guard !entries.isEmpty else {
            StandardOutput.print("No entries.")
            return
        }
        var table = TextTable([
            ("time", .time), ("who", .left), ("role", .left), ("from", .left), ("what", .left),
            ("on", .left), ("result", .right), ("repeats", .right),
        ])
        for entry in entries {
            table.add([
                entry.time.rfc3339, entry.who.isEmpty ? "unknown" : entry.who, entry.role ?? "",
                entry.remote, entry.what, entry.on ?? "", entry.result.map { "\($0)" } ?? "",
                entry.count.map { "\($0)" } ?? "",
            ])
        }
        table.print(on: display.terminal)
    }
}
