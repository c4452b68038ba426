import Glibc

/// The result of `ipnd check`: the configuration as it would run, and the state of its directories
/// and certificates. The check starts nothing and writes nothing.
package struct ConfigurationCheck: Sendable {
    /// A certificate that expires within this number of days is reported.
    private static let expiryWarningDays = 30

    /// The description of what would run, and the state of the journal and the certificates.
    package let report: String
    /// The findings in the order of the file. A server would not start with one of severity
    /// `mistake`.
    package let findings: [Finding]

    /// Whether a server would start.
    package var passes: Bool { !findings.contains { $0.severity == .mistake } }

    /// - Parameters:
    ///   - user: The user that runs the server, if it is another one.
    ///   - others: What else prevents a start.
    ///   - now: Seconds since 1970 UTC, for the certificates.
    package init(
        _ configuration: Configuration, as user: ServiceUser? = nil, others: [Finding] = [],
        now: Int64 = Int64(time(nil))
    ) {
        var findings = configuration.warnings + others
        var lines = [configuration.describe()]
        let folders = Self.folders(configuration)
        let look = { folders.map { DataDirectory(path: $0.path) } }
        let states = user.map { $0.run(look) } ?? look()
        for (folder, state) in zip(folders, states) {
            findings += Self.findings(folder.key, state, configuration, user)
        }
        if let user { lines.append("checked as     \(user.name)") }
        if let journal = configuration.journal, let state = states.first {
            if state.problem(for: nil) == nil { lines.append("journal state  \(state.words)") }
            if let free = state.freeBytes, free < 2 * (journal.segmentMiB << 20) {
                findings.append(
                    Finding(
                        .warning, file: configuration.file, key: "journal.directory",
                        problem: "there is room for fewer than two segments",
                        remedy: "free some space: without room notifications are answered 503"))
            }
        }
        for certificate in Self.certificates(configuration) {
            let days = (certificate.notAfter - now) / 86_400
            lines.append(
                "certificate    \(certificate.file): \(certificate.subject), "
                    + "valid until \(Self.date(certificate.notAfter)) (\(days) days)")
            guard days < Self.expiryWarningDays else { continue }
            findings.append(
                Finding(
                    .warning, file: configuration.file, key: certificate.key,
                    problem: certificate.notAfter <= now
                        ? "\(certificate.file) has expired"
                        : "\(certificate.file) expires in \(days) days",
                    remedy: "renew it; SIGHUP takes up the new one"))
        }
        findings += Self.sharedSecrets(configuration)
        report = lines.joined(separator: "\n")
        self.findings = findings
    }

    /// Endpoints that share a secret accept each other's notifications: the live endpoint accepts
    /// those of the test system, for example.
    private static func sharedSecrets(_ configuration: Configuration) -> [Finding] {
        var findings: [Finding] = []
        for (index, endpoint) in configuration.endpoints.enumerated() {
            let other = configuration.endpoints[..<index].first {
                $0.system == endpoint.system
                    && !Set($0.settings.secrets).isDisjoint(with: endpoint.settings.secrets)
            }
            guard let other else { continue }
            findings.append(
                Finding(
                    .warning, file: endpoint.file,
                    key: endpoint.key.isEmpty
                        ? endpoint.descriptor.secretsKey
                        : "\(endpoint.key).\(endpoint.descriptor.secretsKey)",
                    problem:
                        "\(endpoint.name) has a secret of \(other.name): what is signed for one "
                        + "is taken by the other",
                    remedy: "give each endpoint a secret of its own"))
        }
        return findings
    }

    /// The folders that a server writes to, and the keys that name them. With a database, the check
    /// opens no connection; `ipnd database check` does.
    private static func folders(
        _ configuration: Configuration
    ) -> [(key: String, path: String)] {
        let rejections = ("rejections.directory", configuration.rejections.directory)
        var folders = [rejections]
        if configuration.admin != nil {
            folders.append(("audit.directory", configuration.audit.directory))
            folders.append(("figures.directory", configuration.figuresDirectory))
        }
        if let alerts = configuration.alerts {
            folders.append(("alerts.directory", alerts.directory))
        }
        guard let journal = configuration.journal else { return folders }
        folders.insert(("journal.directory", journal.directory), at: 0)
        if configuration.admin != nil
            || configuration.endpoints.contains(where: { $0.inquiry != nil })
        {
            folders.append(("index.directory", configuration.indexDirectory))
        }
        if !configuration.destinations.isEmpty {
            folders.append(("destinations", journal.deliveryDirectory))
        }
        return folders
    }

    private static func findings(
        _ key: String, _ directory: DataDirectory, _ configuration: Configuration,
        _ user: ServiceUser?
    ) -> [Finding] {
        guard let problem = directory.problem(for: user?.name) else { return [] }
        return [
            Finding(
                .mistake, file: configuration.file, key: key, problem: problem.problem,
                remedy: problem.remedy)
        ]
    }

    private struct Certificate {
        let key: String
        let file: String
        let subject: String
        let notAfter: Int64
    }

    private static func certificates(_ configuration: Configuration) -> [Certificate] {
        var all = configuration.listeners.enumerated().map { ("listeners[\($0)].tls", $1.tls) }
        all.append(("admin.tls", configuration.admin?.tls))
        all.append(("outcome.tls", configuration.outcome?.listener.tls))
        return all.flatMap { key, tls in
            (tls?.context.certificates ?? []).map {
                Certificate(key: key, file: $0.file, subject: $0.subject, notAfter: $0.notAfter)
            }
        }
    }

    /// Returns the date of a time, `2026-11-21`.
    private static func date(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let digits = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        return digits.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
    }
}

extension DataDirectory {
    fileprivate var words: String {
        let room = freeBytes.map { ", \($0 >> 20) MiB free" } ?? ""
        return (state == .creatable ? "will be created" : "writable") + room
    }
}
