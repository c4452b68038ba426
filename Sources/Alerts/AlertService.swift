import Bytes
import Cryptography
import Glibc
import Platform
import Synchronization

/// Judges the figures at intervals, and sends what follows. The state is kept in a file, so that a
/// restart neither repeats nor loses a message.
package actor AlertService {
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        BackgroundExecutor.shared.asUnownedSerialExecutor()
    }

    private let folder: String
    private let clock: any Clock
    private let figures: @Sendable () async -> AlertFigures
    private let log: @Sendable (_ isWarning: Bool, _ text: String) -> Void
    private var settings: AlertSettings
    private var channels: [any AlertChannel]
    private var rules: AlertRules
    private var book: AlertBook
    /// Channels whose failure was logged; the recovery is logged once.
    private var failing: Set<String> = []
    private var savedBook: AlertBook?
    private var saveFailed = false

    /// - Parameters:
    ///   - folder: Created at the first message.
    ///   - log: Called when a channel begins to fail, and when it works again.
    package init(
        folder: String, settings: AlertSettings, channels: [any AlertChannel], clock: any Clock,
        figures: @escaping @Sendable () async -> AlertFigures,
        log: @escaping @Sendable (_ isWarning: Bool, _ text: String) -> Void
    ) {
        self.folder = folder
        self.settings = settings
        self.channels = channels
        self.clock = clock
        self.figures = figures
        self.log = log
        rules = AlertRules(settings)
        book = AlertFile.read(folder) ?? AlertBook()
        savedBook = book
    }

    /// Applies a reloaded configuration.
    package func reload(_ settings: AlertSettings, _ channels: [any AlertChannel]) {
        self.settings = settings
        self.channels = channels
        rules.settings = settings
    }

    /// Checks at intervals until cancelled.
    package func run() async {
        while !Task.isCancelled {
            await check()
            try? await clock.sleep(seconds: settings.checkSeconds)
        }
    }

    /// Checks once, and sends what is due.
    package func check() async {
        let found = await figures()
        let causes = rules.causes(found, now: clock.now)
        let names = channels.map(\.name)
        book.keep(channels: names)
        book.update(causes, settings, channels: names, now: clock.coarseWallSeconds) {
            "alert_\(Hex.encode(secureRandomBytes(16)))"
        }
        // Before it is sent: otherwise a crash would send it again with another id.
        save()
        for item in book.due(now: clock.coarseWallSeconds) {
            guard let channel = channels.first(where: { $0.name == item.channel }) else { continue }
            let problem = await channel.send(item.message)
            note(item.channel, problem)
            book.attempted(item, isSent: problem == nil, now: clock.coarseWallSeconds)
        }
        save()
    }

    private func note(_ channel: String, _ problem: String?) {
        guard let problem else {
            if failing.remove(channel) != nil { log(false, "alerts by \(channel) are sent again") }
            return
        }
        guard failing.insert(channel).inserted else { return }
        log(true, "an alert could not be sent by \(channel): \(problem)")
    }

    private func save() {
        guard book != savedBook else { return }
        if let problem = AlertFile.write(book, folder) {
            if !saveFailed { log(true, "the state of alerts cannot be written: \(problem)") }
            saveFailed = true
            return
        }
        saveFailed = false
        savedBook = book
    }
}

/// The file of an `AlertBook`.
package enum AlertFile {
    private static let name = "alerts.json"
    private static let bytesMax = 4 << 20

    /// Nil where there is none, or where it cannot be read.
    package static func read(_ folder: String) -> AlertBook? {
        guard let contents = try? FileContents(path: "\(folder)/\(name)", bytesMax: bytesMax) else {
            return nil
        }
        return AlertBook(json: contents.bytes)
    }

    /// Replaces the file. Returns the problem that prevents it.
    static func write(_ book: AlertBook, _ folder: String) -> String? {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { return problem(folder) }
        let fresh = "\(folder)/\(name).new"
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = Glibc.open(fresh, flags, 0o600)
        guard descriptor >= 0 else { return problem(fresh) }
        defer { Glibc.close(descriptor) }
        let bytes = book.json
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
        else { return problem(fresh) }
        return rename(fresh, "\(folder)/\(name)") == 0 ? nil : problem(folder)
    }

    private static func problem(_ path: String) -> String {
        "\(path): \(String(cString: strerror(errno)))"
    }
}
