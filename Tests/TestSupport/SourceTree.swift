import Foundation

/// The source tree that these tests were built from.
package enum SourceTree {
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// A file or folder, relative to the root.
    package static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    package static func text(_ path: String) throws -> String {
        try String(contentsOf: url(path), encoding: .utf8)
    }
}
