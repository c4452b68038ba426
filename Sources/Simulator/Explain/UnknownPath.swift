import JSON

/// That no endpoint has a request's path: the server answers 404 to it, whatever its signature is.
package struct UnknownPath: Sendable, Equatable {
    /// As it came in.
    package let path: String
    /// The endpoint that it was probably meant for.
    package let nearest: String
    package let nearestPath: String

    package init(path: String, nearest: String, nearestPath: String) {
        self.path = path
        self.nearest = nearest
        self.nearestPath = nearestPath
    }

    package var sentence: String {
        "no endpoint has the path \(TextTable.printable(path)): the server answers 404. The nearest "
            + "is \(nearest), \(nearestPath)"
    }

    package var remedy: String {
        "Correct the URL that the provider was given, or the proxy's rule, so that it arrives at "
            + "\(nearestPath); or set the endpoint's `path` to the one that came in."
    }

    /// What to do where the provider signed the path that came in.
    var remedyWhereSigned: String {
        "The provider was given this path. Set the endpoint's `path` to it; or let the proxy pass it "
            + "on as \(nearestPath) and set `publicPath` to it."
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("path", path)
        json.member("nearest", nearest)
        json.member("nearestPath", nearestPath)
        json.member("remedy", remedy)
        json.endObject()
    }
}
