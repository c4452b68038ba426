import Foundation
import TestSupport
import Testing

/// One ipnd, created by `ipnd init` in a separate folder, on ports that the kernel chose.
final class Instance {
    struct NotReady: Error, CustomStringConvertible {
        let status: Int32
        let log: String
        var description: String { "ipnd ended with status \(status) before it was ready:\n\(log)" }
    }

    private let temporary = TemporaryFolder()
    var folder: String { temporary.path }
    private(set) var port: UInt16 = 0
    private(set) var adminPort: UInt16 = 0
    private(set) var outcomePort: UInt16 = 0
    private var child: Child?
    private let log = Box("")
    private let extraArguments: [String]
    /// Further variables for the next start.
    var environment: [String: String] = [:]
    /// A command that runs the binary, such as strace(1).
    var launcher: [String] = []
    /// A program that replaces itself by ipnd, with the same process identifier.
    var wrapper: [String]

    /// The default of 64 MiB, preallocated for every instance, would make the disk the bottleneck
    /// of these tests.
    private static let smallJournal =
        "journal: {directory: journal, segmentMiB: 16, indexWaitSeconds: 60}"

    var configurationFile: String { "\(folder)/ipnd.yaml" }
    var journal: String { "\(folder)/journal" }
    /// The database of the record; nil for the journal.
    let database: SharedDatabase?
    /// The process of the last start.
    var process: Child {
        guard let child else { fatalError("the instance was not started") }
        return child
    }
    /// The output to standard error.
    var logText: String { log.get() }
    private var reader: LogReader?

    /// Whether it logs `text` in time: lines are written after the event.
    func says(_ text: String) -> Bool { eventually { logText.contains(text) } }

    /// Small segments and bodies, so that a few notifications fill a segment.
    static let tinySegments =
        "journal: {directory: journal, segmentMiB: 2, indexWaitSeconds: 60}\n"
        + "limits: {bodyBytesMax: 262144}"

    /// - Parameters:
    ///   - storage: The storage of the record: a journal, a separate database, or `shared`.
    ///   - edit: Changes the configuration of `init` before the start.
    ///   - simulator: The address of the `ipnd simulate` for inquiries; nil for none.
    ///   - starts: Whether to start it; false for tests of the start itself.
    init(
        on storage: StorageKind = .journal, shared: SharedDatabase? = nil,
        edit: (String) -> String = { $0 }, arguments: [String] = [], wrapper: [String] = [],
        simulator: String? = nil, starts: Bool = true
    ) throws {
        extraArguments = arguments
        self.wrapper = wrapper
        database = storage == .database ? try shared ?? SharedDatabase() : nil
        try (simulator == nil ? Self.template : Self.inquiringTemplate).get().copy(to: folder)
        let text = try String(contentsOfFile: configurationFile, encoding: .utf8)
            .replacingOccurrences(of: Self.someSimulator, with: simulator ?? "")
        try edit(text).replacingOccurrences(
            of: "journal: {directory: journal}",
            with: database == nil ? Self.smallJournal : SharedDatabase.section
        )
        // On a busy machine this may take long: the index follows the journal on a low-priority
        // thread.
        .replacingOccurrences(
            of: "admin: {address:", with: "admin: {listWaitMillisecondsMax: 60000, address:"
        )
        .write(toFile: configurationFile, atomically: true, encoding: .utf8)
        if let database {
            try connect(to: database.connection)
            if shared == nil { try database.install(configurationFile) }
        }
        if starts { try start() }
    }

    /// The output of `ipnd init`. Creating its keys takes longer than most tests, so it runs once.
    static let template = Result { try made("--no-inquiry") }
    /// The same with inquiries at ``someSimulator``.
    private static let inquiringTemplate = Result { try made("--simulator", someSimulator) }

    /// Stands for the simulator of an instance.
    private static let someSimulator = "127.0.0.9:9"

    private static func made(_ inquiry: String...) throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        let made = try run(
            Binary.ipnd,
            ["init", folder.path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"] + inquiry)
        try #require(made.status == 0, "\(made.errors)")
        return folder
    }

    /// Writes the connection string that the next start reads.
    func connect(to string: String) throws {
        try string.write(
            toFile: "\(folder)/secrets/database", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(folder)/secrets/database")
    }

    /// Starts it with additional arguments and waits for its `ready` line.
    func start(_ arguments: [String] = []) throws {
        let usual =
            wrapper + [Binary.ipnd, "serve", "--config", configurationFile] + extraArguments
            + arguments
        let command = launcher.isEmpty ? usual : launcher
        let process = try Child(
            command[0], Array(command.dropFirst()), environment: environment, output: .pipe,
            errors: .pipe)
        child = process
        reader = process.errors.map { LogReader($0, into: log) }
        guard let ready = process.output.flatMap(Self.firstLine) else {
            let status = process.waitUntilExit()
            reader?.awaitEnd()
            throw NotReady(status: status, log: log.get())
        }
        let words = ready.split(separator: " ").map(String.init)
        port = Self.port(words.first { $0.hasPrefix("127.0.0.1:") })
        adminPort = Self.port(words.first { $0.hasPrefix("admin=") })
        outcomePort = Self.port(words.first { $0.hasPrefix("outcome=") })
    }

    private static func port(_ word: String?) -> UInt16 {
        guard let digits = word?.split(separator: ":").last else { return 0 }
        return UInt16(digits) ?? 0
    }

    private static func firstLine(_ handle: FileHandle) -> String? {
        var line: [UInt8] = []
        while let byte = try? handle.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Sends a signal, waits for the end, and returns the exit status or the signal's number.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) -> Int32 {
        process.signal(signal)
        return waitForEnd()
    }

    /// Waits until it ends by itself, and returns the exit status or the signal's number.
    @discardableResult
    func waitForEnd() -> Int32 {
        let status = process.waitUntilExit()
        reader?.awaitEnd()
        return status
    }

    func client() throws -> Client { try Client(port: port) }

    /// The records as printed by `ipnd journal cat`, or as stored in the table.
    func records() throws -> [[String: Any]] {
        if let database { return try database.records() }
        let cat = try run(Binary.ipnd, ["journal", "cat", journal])
        try #require(cat.status == 0, "\(cat.errors)")
        return try cat.lines.map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    /// The references in the journal, in order.
    func references() throws -> [String] {
        try records().compactMap { ($0["order"] as? [String: Any])?["reference"] as? String }
    }

    /// The order from the admin API; nil if it is unknown.
    func order(_ endpoint: String, _ reference: String) throws -> [String: Any]? {
        let token = try String(contentsOfFile: "\(folder)/secrets/admin-token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let client = try Client(port: adminPort)
        try client.send(
            "GET /orders/\(endpoint)/\(reference) HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(token)\r\n\r\n")
        let answer = try client.receive()
        guard answer.status == 200 else { return nil }
        return try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any]
    }
}
