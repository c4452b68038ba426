import Synchronization

/// The providers that a configuration can name: those of ``ProviderRegistry``, and those that a
/// recipe describes.
package final class ProviderCatalog: Sendable {
    /// A provider, or a recipe of the program, which is read when it is asked for.
    private enum Entry {
        case known(ProviderDescriptor)
        case recipe(String)

        var name: String {
            switch self {
            case .known(let descriptor): descriptor.name
            case .recipe(let name): name
            }
        }

        var descriptor: ProviderDescriptor {
            switch self {
            case .known(let descriptor): descriptor
            case .recipe(let name): Recipe.shipped(name).descriptor
            }
        }
    }

    /// All of it: every recipe is read for it.
    private struct Whole {
        let list: [ProviderDescriptor]
        let markFields: Set<String>

        init(_ entries: [Entry]) {
            list = entries.map(\.descriptor)
            markFields = Set(list.flatMap(\.marks.fields).joined())
        }
    }

    private let entries: [Entry]
    private let places: [String: Int]
    private let whole = Mutex<Whole?>(nil)

    /// - Parameters:
    ///   - descriptors: Providers.
    ///   - recipes: Names of recipes of the program.
    package convenience init(_ descriptors: [ProviderDescriptor], recipes: [String] = []) {
        self.init(descriptors.map(Entry.known) + recipes.map(Entry.recipe))
    }

    /// A later entry takes the place of an earlier one of its name.
    private init(_ listed: [Entry]) {
        var entries: [Entry] = []
        var places: [String: Int] = [:]
        for entry in listed {
            if let place = places[entry.name] {
                entries[place] = entry
            } else {
                places[entry.name] = entries.count
                entries.append(entry)
            }
        }
        self.entries = entries
        self.places = places
    }

    /// In the order of lists and of the sandbox.
    package var list: [ProviderDescriptor] { inspected.list }

    /// The names of fields that are a mark of some provider. The first request to an unknown path
    /// asks for them, and waits for all recipes to be read: once, some milliseconds.
    package var markFields: Set<String> { inspected.markFields }

    /// The provider of this name in the configuration.
    package subscript(name: String) -> ProviderDescriptor? {
        places[name].map { entries[$0].descriptor }
    }

    package var names: [String] { entries.map(\.name) }

    package func adding(_ descriptor: ProviderDescriptor) -> ProviderCatalog {
        ProviderCatalog(entries + [.known(descriptor)])
    }

    private var inspected: Whole {
        whole.withLock { whole in
            if let whole { return whole }
            let read = Whole(entries)
            whole = read
            return read
        }
    }

    /// The providers written in Swift.
    package static let written = ProviderCatalog(ProviderRegistry.list)
}
