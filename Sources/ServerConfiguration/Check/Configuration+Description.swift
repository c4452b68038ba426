import HTTP
import HTTPServer
import Platform
import Providers
import SystemPackage

extension Configuration {
    /// A description of what would run, for people, one line for each part. It contains no secret.
    package func describe() -> String {
        var lines = ["configuration  \(file)"]
        lines += listeners.map { "listen         \($0.summary)" }
        if let admin { lines.append("admin          \(admin.summary)") }
        if let outcome { lines.append("outcome        \(outcome.summary)") }
        lines += endpoints.flatMap { $0.summary(in: file) }
        lines += destinations.map { "deliver        \($0.summary)" }
        switch storage {
        case .journal(let journal): lines.append("journal        \(journal.summary)")
        case .database(let database): lines.append("database       \(database.summary)")
        }
        lines.append(
            "rejections     \(rejections.directory): at most \(rejections.countMax) entries, "
                + "\(rejections.bytesMax) bytes, \(rejections.perSecondMax) a second")
        if admin != nil {
            lines.append(
                "audit          \(audit.directory): \(audit.retainDays) days, at most "
                    + "\(audit.bytesMax) bytes")
        }
        if let alerts { lines.append("alerts         \(alerts.summary)") }
        if let source = personal.hashKeySource {
            lines.append("personal       replaced values are hashed with a key, \(source)")
        }
        for (master, source) in zip(personal.masterKeys, personal.masterKeySources) {
            lines.append("personal       records are sealed, master key \(master.name), \(source)")
        }
        if personal.retainDays > 0 {
            lines.append("personal       erased after \(personal.retainDays) days")
        }
        if let telemetry { lines.append("telemetry      \(telemetry.summary)") }
        lines.append("limits         \(changedLimits)")
        lines.append("event loops    \(loops)")
        lines.append("drain delay    \(drainDelaySeconds) s")
        lines.append("log            \(log.level.rawValue), \(log.format.rawValue)")
        return lines.joined(separator: "\n")
    }

    /// The limits that differ from their defaults.
    private var changedLimits: String {
        var changed: [String] = []
        for limit in Limits.all where limits[keyPath: limit.path] != limit.defaultValue {
            changed.append("\(limit.name) \(limits[keyPath: limit.path])")
        }
        for limit in QueueLimitName.all
        where queue[keyPath: limit.path] != QueueLimits()[keyPath: limit.path] {
            changed.append("\(limit.name) \(queue[keyPath: limit.path])")
        }
        for limit in VerificationLimitName.all
        where verification[keyPath: limit.path] != VerificationLimits()[keyPath: limit.path] {
            changed.append("\(limit.name) \(verification[keyPath: limit.path])")
        }
        for limit in DeliveryLimitName.all where !limit.isDefault(in: delivery) {
            changed.append("delivery.\(limit.name) \(limit.text(in: delivery))")
        }
        return changed.isEmpty ? "defaults" : "defaults but " + changed.joined(separator: ", ")
    }
}

extension DestinationConfiguration {
    fileprivate var summary: String {
        var parts = ["\(name): \(url)"]
        parts.append("signed by " + secretSources.map(\.description).joined(separator: ", "))
        if let endpoints { parts.append("of " + endpoints.joined(separator: ", ")) }
        if let statuses { parts.append(statuses.map(\.rawValue).joined(separator: ", ")) }
        if let kinds { parts.append("kinds " + kinds.joined(separator: ", ")) }
        switch start {
        case .now: break
        case .beginning: parts.append("from the first record")
        case .sequence(let first): parts.append("from record \(first)")
        }
        parts.append("\(retrySeconds.count + 1) attempts, \(concurrency) at once")
        switch route.proxy {
        case .environment: break
        case .direct: parts.append("no proxy")
        case .url: parts.append("through a proxy")
        }
        return parts.joined(separator: "; ")
    }
}

extension ListenerConfiguration {
    fileprivate var summary: String {
        var parts = ["\(address)", tls?.summary ?? "plain HTTP"]
        if let permissions { parts.append(permissions.summary) }
        let trusted = proxy.trusted.map(\.description).joined(separator: ", ")
        if let header = proxy.header {
            let source = trusted.isEmpty ? "any peer" : trusted
            parts.append("client address from \(header.rawValue) of \(source)")
        } else if proxy.usesProxyProtocol {
            parts.append("client address from the PROXY protocol")
        }
        return parts.joined(separator: ", ")
    }
}

extension AdminConfiguration {
    fileprivate var summary: String {
        let viewers = viewerToken == nil ? "" : ", another for viewers"
        let persons = people.count == 1 ? "1 person" : "\(people.count) people"
        let known = people.isEmpty ? "" : ", \(persons)"
        let proxies = identity.map { identity in
            let others = identity.role.map { ", others as \($0.rawValue)" } ?? ""
            return ", identity from \(identity.header) of "
                + identity.trusted.map(\.description).joined(separator: ", ") + others
        }
        let access =
            token == nil
            ? "no token (this machine only)" : "with a token\(viewers)\(known)\(proxies ?? "")"
        let mode = permissions.map { ", \($0.summary)" } ?? ""
        return "\(address), \(tls?.summary ?? "plain HTTP"), \(access)\(mode)"
    }
}

extension OutcomeConfiguration {
    fileprivate var summary: String {
        let pages =
            allowOrigins.isEmpty ? "" : ", for pages of \(allowOrigins.joined(separator: ", "))"
        return "\(listener.summary), tokens for \(tokenHours) h\(pages)"
    }
}

extension AlertsConfiguration {
    fileprivate var summary: String {
        var ways: [String] = []
        if let webhook { ways.append("to \(webhook.url.withoutQuery)") }
        if let mail { ways.append("by mail to \(mail.to.joined(separator: ", "))") }
        let except = settings.except.map(\.rawValue).sorted().joined(separator: ", ")
        return ways.joined(separator: ", ") + (except.isEmpty ? "" : ", except \(except)")
    }
}

extension TelemetryConfiguration {
    fileprivate var summary: String {
        var parts = ["\(url.withoutQuery) as \(serviceName)"]
        if sendsTraces {
            parts.append(tracesPercent == 100 ? "traces" : "\(tracesPercent) % of traces")
        }
        if sendsMetrics { parts.append("metrics every \(metricsSeconds) s") }
        return parts.joined(separator: ", ")
    }
}

extension FilePermissions {
    /// The permissions as chmod(1) writes them.
    fileprivate var summary: String { "file mode 0" + String(rawValue, radix: 8) }
}

extension TLSConfiguration {
    fileprivate var summary: String {
        let names = context.certificates.map(\.subject).joined(separator: "; ")
        return "TLS (\(names))\(clientCA == nil ? "" : ", clients need a certificate")"
    }
}

extension JournalConfiguration {
    fileprivate var summary: String {
        let kept =
            retainDays == 0
            ? "kept for ever"
            : "kept \(retainDays) days, then "
                + (archive == .move ? "moved to archive/" : "deleted")
        return "\(directory): segments of \(segmentMiB) MiB, \(kept); "
            + "duplicates recognised for \(dedupRetainDays) days; "
            + (snapshotRecords == 0
                ? "no snapshots"
                : "a snapshot every \(snapshotRecords) records and every \(snapshotHours) h")
    }
}

extension DatabaseConfiguration {
    /// The location only; `ipnd database check` finds out whether it can be reached.
    fileprivate var summary: String {
        "\(connection), schema \(session.schema), from \(source); a commit is answered within "
            + "\(batchSecondsMax) s, a notification within \(requestSecondsMax) s; events kept "
            + (retainDays == 0 ? "for ever" : "\(retainDays) days, then dropped")
            + "; duplicates recognised for \(dedupRetainDays) days"
    }
}

extension InquiryConfiguration {
    fileprivate var summary: String {
        let parts =
            ["asked at \(url.origin)"] + credentialSources.map { "\($0.key) from \($0.source)" }
            + [
                schedule.isAutomatic
                    ? "by itself, \(schedule.schedule.count) times and daily" : "on demand only"
            ]
        return parts.joined(separator: ", ")
    }
}

extension EndpointConfiguration {
    /// - Parameter main: The configuration's file.
    fileprivate func summary(in main: String) -> [String] {
        var lines = ["endpoint       \(name): POST \(path), \(system)"]
        var details = file == main ? [] : ["included from \(file)"]
        if publicPath != path { details.append("public path \(publicPath)") }
        if !allow.isEmpty {
            details.append("only from \(allow.map(\.description).joined(separator: ", "))")
        }
        if !redact.isEmpty {
            details.append(
                "replaces \(redact.map(\.text).joined(separator: ", ")) in what is stored")
        }
        for row in descriptor.rows(.endpoint) {
            switch row.kind {
            case .publicKeys:
                details += fingerprints.map { "key \($0.name): SHA-256 \($0.digits)" }
            case .secrets:
                details += secretSources.enumerated().map { "secret \($0 + 1): from \($1)" }
            default:
                if let clause = settings[row.key].flatMap(row.summary) { details.append(clause) }
            }
        }
        if let inquiry { details.append(inquiry.summary) }
        lines += details.map { "                 \($0)" }
        return lines
    }
}
