import Yams

/// One pass over a configuration file: what is wrong with it, and which keys were asked for.
///
/// The readers go on after a mistake, so that one run tells all of them; what they return then is
/// thrown away.
final class Reading {
    /// As the command line named it.
    let file: String
    /// The absolute folder of the file, from which relative paths count.
    let folder: String
    let environment: [String: String]

    private(set) var findings: [Finding] = []

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

    var hasMistakes: Bool { findings.contains { $0.severity == .mistake } }

    func report(
        _ severity: Finding.Severity = .mistake, at mark: Mark?, key: String, problem: String,
        remedy: String
    ) {
        let finding = Finding(
            severity, file: file, line: mark?.line, column: mark?.column, key: key,
            problem: problem, remedy: remedy)
        // An alias is read once for each place that uses it, and says the same each time.
        if !findings.contains(finding) { findings.append(finding) }
    }

    func noteKnown(_ key: String) { knownKeys.insert(key) }

    /// `path` as it counts from the configuration's folder.
    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : folder == "/" ? "/\(path)" : "\(folder)/\(path)"
    }
}
