import Glibc
import Providers
import Yams

/// The state of decoding one configuration file: its findings, and the keys that readers asked for.
///
/// Readers continue after a mistake, so that one run reports all of them; the values that they
/// return then are discarded.
final class DecodingContext {
    /// The path as the command line gave it; that of an included file begins with its folder.
    let file: String
    /// The absolute folder of the main file, at which relative paths start.
    let folder: String
    let environment: [String: String]
    /// The memory of all endpoints.
    let memory: ProviderMemory

    /// The context of the main file, for that of an included one; it has the findings of both.
    let main: DecodingContext?
    /// Included files that do not exist yet, by absolute path. They are read as if they did.
    var unwritten: [String: [UInt8]] = [:]

    private lazy var catalog = ProviderCatalog.shipped
    /// The providers that can be named: those of the recipes beside the configuration too, once an
    /// endpoint names them.
    var providers: ProviderCatalog {
        get { main?.providers ?? catalog }
        set { if let main { main.providers = newValue } else { catalog = newValue } }
    }

    /// The results of looking for recipes beside the configuration, by name.
    var ownRecipes: [String: ProviderLookup] = [:]

    private(set) var findings: [Finding] = []

    /// Maximum number of mistakes, and of warnings, that are listed; the others are counted. Users
    /// do not fix more at once, and each finding is compared with the others.
    static let findingsMax = 100

    /// Number of listed findings.
    private var counts: [Finding.Severity: Int] = [:]
    /// Number of mistakes beyond ``findingsMax``.
    private(set) var mistakesOmitted = 0

    /// Every key that a reader asked for, without list positions: `endpoints[].keys[].version`. The
    /// configuration reference is tested against it.
    private(set) var knownKeys: Set<String> = []

    /// Keys that appear twice in one mapping: see ``YAMLText``.
    var repeatedKeys: [String: RepeatedKey] = [:]

    init(
        file: String, folder: String, environment: [String: String],
        memory: ProviderMemory = ProviderMemory()
    ) {
        self.file = file
        self.folder = folder
        self.environment = environment
        self.memory = memory
        main = nil
    }

    /// The context of an included file.
    ///
    /// - Parameter shown: The file's path for findings.
    init(includedAs shown: String, in main: DecodingContext) {
        file = shown
        folder = main.folder
        environment = main.environment
        memory = main.memory
        self.main = main
    }

    var hasMistakes: Bool { counts[.mistake, default: 0] > 0 }

    /// Whether another mistake would only be counted, so that no remedy has to be computed.
    var isFull: Bool {
        main?.isFull ?? (counts[.mistake, default: 0] >= Self.findingsMax)
    }

    func report(
        _ severity: Finding.Severity = .mistake, at mark: Mark?, key: String, problem: String,
        remedy: String
    ) {
        report(
            severity, line: mark?.line, column: mark?.column, key: key, problem: problem,
            remedy: remedy)
    }

    /// Reports a finding at a line that has no node of Yams.
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
        main?.add(finding)
        guard counts[finding.severity, default: 0] < Self.findingsMax else {
            if finding.severity == .mistake { mistakesOmitted += 1 }
            return
        }
        // An alias is read once for each use and gives the same finding each time.
        guard !findings.contains(finding) else { return }
        findings.append(finding)
        counts[finding.severity, default: 0] += 1
    }

    /// Takes over the findings of a file that this one names.
    func adopt(_ other: RecipeFile) {
        for finding in other.findings { add(finding) }
        mistakesOmitted += other.mistakesOmitted
    }

    func noteKnown(_ key: String) {
        main?.noteKnown(key)
        knownKeys.insert(key)
    }

    /// The absolute form of `path`, which may start at the configuration's folder.
    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : folder == "/" ? "/\(path)" : "\(folder)/\(path)"
    }

    /// The path at which the file at the absolute `path` can be read: the same, or that of the
    /// credential that the service manager passed for it (systemd.exec(5), LoadCredential=). A
    /// credential's name is the path from the configuration's folder with `_` for each slash, which
    /// is the name that systemd gives to the files of a folder.
    ///
    /// A credential is a copy from the start of the service. One that is older than its file is not
    /// used, because a replaced key must not silently stay in use.
    func readable(_ path: String) -> String {
        guard access(path, R_OK) != 0, errno == EACCES, path.hasPrefix("\(folder)/"),
            let credentials = environment["CREDENTIALS_DIRECTORY"]
        else { return path }
        let name = path.dropFirst(folder.count + 1).split(separator: "/").joined(separator: "_")
        let credential = "\(credentials)/\(name)"
        var copy = stat()
        guard stat(credential, &copy) == 0 else { return path }
        var file = stat()
        // Without permission to stat the file, its age is unknown.
        guard stat(path, &file) == 0 else { return credential }
        let isOlder =
            (copy.st_mtim.tv_sec, copy.st_mtim.tv_nsec)
            < (file.st_mtim.tv_sec, file.st_mtim.tv_nsec)
        return isOlder ? path : credential
    }
}
