/// An order's identity, as the outside knows it.
package struct OrderName: Sendable, Hashable {
    package var endpoint: String
    package var reference: String

    package init(endpoint: String, reference: String) {
        self.endpoint = endpoint
        self.reference = reference
    }
}
