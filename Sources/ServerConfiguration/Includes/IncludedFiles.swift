import Platform
import SystemPackage
import Yams

/// The values of a configuration that each describe an endpoint: the items of `endpoints`, then
/// the included files.
struct EndpointPlaces {
    var values: [ValueReader] = []
    /// Whether none is missing because of a mistake.
    var isComplete = true
}

extension ConfigurationReader {
    func endpointPlaces() -> EndpointPlaces {
        let remedy = "write `endpoints:` with a list of {name, path, provider, …}"
        let include = root.optional("include")
        let own =
            include == nil ? root.required("endpoints", remedy) : root.optional("endpoints")
        var places = EndpointPlaces()
        if let own {
            let values = own.sequence()
            places = EndpointPlaces(values: values ?? [], isComplete: values != nil)
            if include == nil, values?.isEmpty == true { own.mistake("is empty", remedy) }
        }
        guard let include else { return places }
        let included = IncludedFiles(place: include).endpoints()
        places.values += included.values
        if !included.isComplete { places.isComplete = false }
        if places.isComplete, places.values.isEmpty {
            include.mistake(
                "no file is there, and `endpoints` has none: there must be an endpoint",
                "add one with `ipnd add PROVIDER`, or \(remedy)")
        }
        return places
    }
}

/// Reads the files that `include` names. Each holds one endpoint, in the form of an item of
/// `endpoints`.
struct IncludedFiles {
    /// Maximum number of files.
    static let filesMax = 1000
    /// Maximum number of bytes of all files together; one has at most `YAMLText.bytesMax`.
    static let bytesMax = 8 << 20

    let place: ValueReader

    private struct File {
        let path: String
        let shown: String
        /// The pattern that found it.
        let pattern: ValueReader
    }

    func endpoints() -> EndpointPlaces {
        var places = EndpointPlaces()
        guard let files = files() else { return EndpointPlaces(isComplete: false) }
        guard files.count <= Self.filesMax else {
            place.mistake(
                "names \(files.count) files, and at most \(Self.filesMax) are read",
                "include fewer files")
            return EndpointPlaces(isComplete: false)
        }
        var bytesLeft = Self.bytesMax
        for file in files {
            guard let bytes = contents(file) else {
                places.isComplete = false
                continue
            }
            bytesLeft -= bytes.count
            guard bytesLeft >= 0 else {
                place.mistake(
                    "names files of more than \(Self.bytesMax) bytes together",
                    "include smaller files")
                return EndpointPlaces(isComplete: false)
            }
            if let value = endpoint(bytes, file) {
                places.values.append(value)
            } else {
                places.isComplete = false
            }
        }
        return places
    }

    /// The files of all patterns, each once; nil after a mistake.
    private func files() -> [File]? {
        let isOne = if case .scalar = place.node { !place.isNull } else { false }
        guard let patterns = isOne ? [place] : place.sequence() else { return nil }
        var files: [File] = []
        var seen: Set<[UInt8]> = []
        var isComplete = true
        for pattern in patterns {
            guard let found = self.files(of: pattern) else {
                isComplete = false
                continue
            }
            files += found.filter { seen.insert(Array($0.path.utf8)).inserted }
        }
        return isComplete ? files : nil
    }

    private func files(of value: ValueReader) -> [File]? {
        guard let text = value.filledText() else { return nil }
        if let (problem, remedy) = IncludePattern.problem(of: text) {
            value.mistake(problem, remedy)
            return nil
        }
        let reading = place.reading
        let pattern = IncludePattern(
            text, folder: reading.folder, beside: Configuration.shownFolder(of: reading.file))
        guard pattern.isGlob else {
            return [
                File(
                    path: pattern.path(of: pattern.name),
                    shown: pattern.shownFolder + pattern.name, pattern: value)
            ]
        }
        do throws(Errno) {
            let unwritten = reading.unwritten.keys.filter {
                $0.hasPrefix(pattern.path(of: "")) && pattern.matches(Self.name(of: $0))
            }
            let names = Set(try pattern.names() + unwritten.map(Self.name))
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return names.map {
                File(path: pattern.path(of: $0), shown: pattern.shownFolder + $0, pattern: value)
            }
        } catch {
            value.mistake(
                "\(pattern.folder) cannot be read: \(error)",
                "make it a folder that the user who runs ipnd may read")
            return nil
        }
    }

    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    private func contents(_ file: File) -> [UInt8]? {
        let reading = place.reading
        if let bytes = reading.unwritten[file.path] { return bytes }
        guard file.path != reading.absolute(Self.name(of: reading.file)) else {
            file.pattern.mistake(
                "includes the configuration itself",
                "keep endpoints in a folder of their own: `include: endpoints.d/*.yaml`")
            return nil
        }
        do throws(FileContents.Problem) {
            return try FileContents(
                path: reading.readable(file.path), bytesMax: YAMLText.bytesMax
            ).bytes
        } catch {
            let remedy =
                error == .notRegular
                ? "write `*.yaml` after a folder's name, and keep other files elsewhere"
                : error.remedy
            file.pattern.mistake("\(file.path) \(error.clause)", remedy)
            return nil
        }
    }

    /// The whole file as the value of an endpoint; nil after a mistake.
    private func endpoint(_ bytes: [UInt8], _ file: File) -> ValueReader? {
        let reading = DecodingContext(includedAs: file.shown, in: place.reading)
        guard let text = Configuration.text(of: bytes, reading),
            let node = YAMLText(text).root(reading)
        else { return nil }
        let value = ValueReader(node: node, key: "", schema: "endpoints[]", reading: reading)
        guard case .mapping(let mapping) = node else {
            value.mistake("the file is \(value.kind), not one endpoint", Self.form)
            return nil
        }
        let isEndpoint = mapping.contains { ["name", "provider"].contains($0.key.string) }
        var isGood = true
        for (key, _) in mapping {
            guard let name = key.string, let problem = problem(ofKey: name, isEndpoint) else {
                continue
            }
            reading.report(
                at: key.mark, key: name, problem: problem.problem, remedy: problem.remedy)
            isGood = false
        }
        return isGood ? value : nil
    }

    private static let form =
        "write one endpoint: its `name:`, `path:`, `provider:` and settings, without `endpoints:`"

    /// The keys of the main file that an included one cannot have.
    static let mainKeys = [
        "listeners", "admin", "outcome", "journal", "database", "destinations", "delivery",
        "limits", "loops",
        "drainDelaySeconds", "index", "rejections", "audit", "alerts", "telemetry", "figures",
        "personal", "log",
    ]

    /// - Parameter isEndpoint: Whether the file has an endpoint's keys: then a key of the main
    ///   file may also be a setting of its provider.
    private func problem(
        ofKey key: String, _ isEndpoint: Bool
    ) -> (problem: String, remedy: String)? {
        switch key {
        case "include":
            ("an included file cannot include others", "name them in \(place.reading.file)")
        case "endpoints":
            ("an included file holds one endpoint", "\(Self.form); others in files of their own")
        case _ where !isEndpoint && Self.mainKeys.contains(key):
            ("an included file holds one endpoint", "move this to \(place.reading.file)")
        default: nil
        }
    }
}
