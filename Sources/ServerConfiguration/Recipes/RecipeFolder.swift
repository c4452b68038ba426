import Glibc
import Platform
import Providers

/// The recipes that a merchant wrote: `recipes/NAME.yaml` beside the configuration.
enum RecipeFolder {
    static let folderName = "recipes"

    /// Whether a provider of a recipe can have this name, which is a part of a path.
    static func isName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard let first = bytes.first, bytes.count <= 64, (0x61...0x7A).contains(first) else {
            return false
        }
        return bytes.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
        }
    }

    /// The names of all recipes beside a configuration in `folder`, sorted.
    static func names(besideFolder folder: String) -> [String] {
        guard let directory = opendir("\(folder)/\(folderName)") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard file.hasSuffix(".yaml") else { continue }
            let name = String(file.dropLast(".yaml".count))
            if isName(name) { names.append(name) }
        }
        return names.sorted()
    }
}

extension DecodingContext {
    /// The provider that an endpoint names: of a recipe beside the configuration, or of ipnd. Nil
    /// where there is none, or where its recipe has mistakes, which are reported then.
    func provider(named name: String) -> ProviderLookup {
        if let main { return main.provider(named: name) }
        if let known = ownRecipes[name] { return known }
        let (path, shown) = recipePath(name)
        guard RecipeFolder.isName(name), access(path, F_OK) == 0 else {
            return providers[name].map { .found($0) } ?? .unknown
        }
        let own = RecipeFile(path: path, shown: shown)
        adopt(own)
        let found = own.recipe.map { ProviderLookup.found($0.descriptor) } ?? .broken
        if case .found(let descriptor) = found { providers = providers.adding(descriptor) }
        ownRecipes[name] = found
        return found
    }

    /// The names of all providers that an endpoint can have.
    var providerNames: [String] {
        let own = RecipeFolder.names(besideFolder: folder)
        return providers.names + own.filter { providers[$0] == nil }
    }
}

/// The result of looking for a provider by its name.
enum ProviderLookup {
    case found(ProviderDescriptor)
    case unknown
    /// Its recipe has mistakes.
    case broken

    var descriptor: ProviderDescriptor? {
        if case .found(let descriptor) = self { descriptor } else { nil }
    }
}

extension ProviderCatalog {
    /// The recipes beside the configuration `file`, sorted by name.
    package static func recipes(beside file: String) -> [(name: String, file: RecipeFile)] {
        let reading = DecodingContext(besides: file)
        return RecipeFolder.names(besideFolder: reading.folder).map { name in
            let path = reading.recipePath(name)
            return (name, RecipeFile(path: path.path, shown: path.shown))
        }
    }

    /// The provider that an endpoint of the configuration `file` gets by this name: nil where
    /// there is no such provider or its recipe has mistakes, which are among the findings.
    package static func provider(
        named name: String, beside file: String
    ) -> (descriptor: ProviderDescriptor?, findings: [Finding], known: [String]) {
        let reading = DecodingContext(besides: file)
        return (reading.provider(named: name).descriptor, reading.findings, reading.providerNames)
    }
}

extension DecodingContext {
    /// A reading of the files beside the configuration `file`, which need not be there yet.
    fileprivate convenience init(besides file: String) {
        self.init(file: file, folder: Configuration.absoluteFolder(of: file), environment: [:])
    }

    /// Where the recipe of this name is, and how people know that place.
    fileprivate func recipePath(_ name: String) -> (path: String, shown: String) {
        let below = "\(RecipeFolder.folderName)/\(name).yaml"
        return ("\(folder)/\(below)", "\(Configuration.shownFolder(of: file))\(below)")
    }
}
