import Glibc
import Providers
import Yams

/// One pass over a configuration file: what is wrong with it, and which keys were asked for.
///
/// The readers go on after a mistake, so that one run tells all of them; what they return then is
/// thrown away.
final class DecodingContext {
    /// As the command line named it.
    let file: String
    /// The absolute folder of the file, from which relative paths count.
    let folder: String
    let environment: [String: String]

    /// The providers that can be named: those of the recipes beside the configuration too, once an
    /// endpoint names them.
    lazy var providers = ProviderCatalog.shipped

    /// The results of looking for recipes beside the configuration, by name.
    var ownRecipes: [String: ProviderLookup] = [:]

    private(set) var findings: [Finding] = []

    /// At most this many mistakes and warnings are listed; the others are counted. Nobody fixes
    /// more of them at once, and each costs a look at the others.
    static let findingsMax = 100

    private var told: [Finding.Severity: Int] = [:]
    /// The mistakes beyond ``findingsMax``.
    private(set) var mistakesUntold = 0

    /// Every key that a reader asked for, list positions left out: `endpoints[].keys[].version`.
    /// The configuration reference is tested against it.
    private(set) var knownKeys: Set<String> = []

    /// Keys that stand twice in one mapping: see ``YAMLText``.
    var repeatedKeys: [String: RepeatedKey] = [:]

    init(file: String, folder: String, environment: [String: String]) {
        self.file = file
        self.folder = folder
        self.environment = environment
    }

    var hasMistakes: Bool { told[.mistake, default: 0] > 0 }

    /// Whether another mistake would only be counted: then no remedy has to be looked for.
    var hasToldEnough: Bool { told[.mistake, default: 0] >= Self.findingsMax }

    func report(
        _ severity: Finding.Severity = .mistake, at mark: Mark?, key: String, problem: String,
        remedy: String
    ) {
        report(
            severity, line: mark?.line, column: mark?.column, key: key, problem: problem,
            remedy: remedy)
    }

    /// The same for a line that has no node of Yams.
    func report(
        _ severity: Finding.Severity = .mistake, line: Int?, column: Int? = nil, key: String = "",
        problem: String, remedy: String
    ) {
        add(
            Finding(
                severity, file: file, line: line, column: column, key: key, problem: problem,
                remedy: remedy))
    }

    private func add(_ finding: Finding) {
        guard told[finding.severity, default: 0] < Self.findingsMax else {
            if finding.severity == .mistake { mistakesUntold += 1 }
            return
        }
        // An alias is read once for each place that uses it, and says the same each time.
        guard !findings.contains(finding) else { return }
        findings.append(finding)
        told[finding.severity, default: 0] += 1
    }

    /// Takes over the findings of a file that this one names.
    func adopt(_ other: RecipeFile) {
        for finding in other.findings { add(finding) }
        mistakesUntold += other.mistakesUntold
    }

    func noteKnown(_ key: String) { knownKeys.insert(key) }

    /// `path` as it counts from the configuration's folder.
    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : folder == "/" ? "/\(path)" : "\(folder)/\(path)"
    }

    /// Where the file at the absolute `path` can be read: there, or as the credential that the
    /// service manager has passed of it (systemd.exec(5), LoadCredential=). A credential's name is
    /// the path from the configuration's folder with `_` for each slash, which is what systemd
    /// itself makes of a folder's files.
    ///
    /// A credential is a copy from the start of the service. One that is older than its file is not
    /// taken: a key that was replaced must not stay in use in silence.
    func readable(_ path: String) -> String {
        guard access(path, R_OK) != 0, errno == EACCES, path.hasPrefix("\(folder)/"),
            let credentials = environment["CREDENTIALS_DIRECTORY"]
        else { return path }
        let name = path.dropFirst(folder.count + 1).split(separator: "/").joined(separator: "_")
        let credential = "\(credentials)/\(name)"
        var copy = stat()
        guard stat(credential, &copy) == 0 else { return path }
        var file = stat()
        // Where even that is not allowed, the age is unknown.
        guard stat(path, &file) == 0 else { return credential }
        let isOlder =
            (copy.st_mtim.tv_sec, copy.st_mtim.tv_nsec)
            < (file.st_mtim.tv_sec, file.st_mtim.tv_nsec)
        return isOlder ? path : credential
    }
}
