/// Finds the endpoint of a path. Paths match byte for byte: a provider signs the path as it sends
/// it, so a second spelling of it could not be verified anyway.
package struct EndpointTable: Sendable {
    /// Sorted by length and then by nothing: a merchant has a handful of endpoints, and comparing
    /// lengths first makes a scan cheaper than hashing the path.
    package let endpoints: [Endpoint]

    package init(_ endpoints: [Endpoint]) {
        self.endpoints = endpoints
    }

    subscript(path: ArraySlice<UInt8>) -> Endpoint? {
        for endpoint in endpoints
        where endpoint.path.count == path.count && endpoint.path[...] == path {
            return endpoint
        }
        return nil
    }
}
