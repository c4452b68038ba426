/// Finds the endpoint of a path. Paths match byte for byte: a provider signs the path as it sends
/// it, so a second spelling of it could not be verified anyway.
package struct EndpointTable: Sendable {
    /// Sorted by length and then by nothing: a merchant has a handful of endpoints, and comparing
    /// lengths first makes a scan cheaper than hashing the path.
    package let endpoints: [Endpoint]
    /// Bytes of a body at an unknown path that are read to find out whether it is a notification.
    let inspectedBytesMax: Int

    package init(_ endpoints: [Endpoint], inspectedBytesMax: Int) {
        self.endpoints = endpoints
        self.inspectedBytesMax = inspectedBytesMax
    }

    subscript(path: ArraySlice<UInt8>) -> Endpoint? {
        for endpoint in endpoints
        where endpoint.path.count == path.count && endpoint.path[...] == path {
            return endpoint
        }
        return nil
    }
}
