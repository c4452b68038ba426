/// The providers that a configuration can name: those of ``ProviderRegistry``, and those that a
/// recipe describes.
package struct ProviderCatalog: Sendable {
    /// In the order of lists and of the sandbox.
    package let list: [ProviderDescriptor]

    /// The names of fields that are a mark of some provider.
    package let markFields: Set<String>

    private let places: [String: Int]

    /// A later descriptor takes the place of an earlier one of its name.
    package init(_ descriptors: [ProviderDescriptor]) {
        var list: [ProviderDescriptor] = []
        var places: [String: Int] = [:]
        for descriptor in descriptors {
            if let place = places[descriptor.name] {
                list[place] = descriptor
            } else {
                places[descriptor.name] = list.count
                list.append(descriptor)
            }
        }
        self.list = list
        self.places = places
        markFields = Set(list.flatMap(\.marks.fields).joined())
    }

    /// The provider of this name in the configuration.
    package subscript(name: String) -> ProviderDescriptor? { places[name].map { list[$0] } }

    package var names: [String] { list.map(\.name) }

    package func adding(_ descriptor: ProviderDescriptor) -> ProviderCatalog {
        ProviderCatalog(list + [descriptor])
    }

    /// The providers written in Swift.
    package static let written = ProviderCatalog(ProviderRegistry.list)
}
