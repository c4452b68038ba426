import Providers

extension ProviderCatalog {
    /// The providers of the program itself: those written in Swift, and its recipes.
    package static let shipped = ProviderCatalog.written
}
