import Foundation
import JSON
import Testing

/// A file of `Vectors/`, parsed.
enum VectorFile {
    static func load(_ name: String) throws -> JSONValue {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors"))
        return try JSONDocument(parsing: Array(Data(contentsOf: url))).root
    }
}
