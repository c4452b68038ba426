import JSON

/// The scalars of a callback that ecommpay signs, and all that is read of it.
///
/// Keys named `signature` or `frame_mode` are left out at every depth, with all that is under them;
/// empty arrays and objects give nothing.
package struct EcommpayLeaves: Sendable, Equatable {
    let leaves: [EcommpayLeaf]

    /// Most scalars that are read, and most bytes of paths and values together. They bound the work
    /// that a body costs before anybody has shown that he may cause it: one long key over many
    /// values would be copied into each path.
    static let leavesMax = 1024
    static let textBytesMax = 1 << 20

    init(leaves: [EcommpayLeaf]) { self.leaves = leaves }

    /// - Throws: ``Refusal``, malformed: `callback_too_large`.
    init(of root: JSONValue) throws(Refusal) {
        var collector = Collector()
        try collector.collect(root, path: nil)
        leaves = collector.leaves
    }

    /// The one scalar at `path`. A path without `::` names one place only, so nothing else can
    /// stand in for it.
    subscript(_ path: String) -> EcommpayLeaf? {
        leaves.first { $0.path == path }
    }

    /// A string that can be an id or a status.
    func word(_ path: String) -> String? {
        guard let leaf = self[path], leaf.kind == .string, leaf.value.isWord else { return nil }
        return leaf.value
    }

    /// A string or a number: ids come as either.
    func identifier(_ path: String) -> String? {
        guard let leaf = self[path], leaf.kind == .string || leaf.kind == .number, leaf.value.isWord
        else { return nil }
        return leaf.value
    }

    /// Whether anything stands at or under the root's member `key`.
    func has(_ key: String) -> Bool {
        leaves.contains { $0.path == key || $0.path.hasPrefix(key + ":") }
    }

    private struct Collector {
        var leaves: [EcommpayLeaf] = []
        var bytes = 0

        mutating func collect(_ value: JSONValue, path: String?) throws(Refusal) {
            switch value.kind {
            case .object:
                for (key, member) in value.members where key != "signature" && key != "frame_mode" {
                    try collect(member, path: Self.join(path, Self.escape(key)))
                }
            case .array:
                var index = 0
                for element in value.elements {
                    try collect(element, path: Self.join(path, String(index)))
                    index += 1
                }
            case .string: try add(path, .string, value.string ?? "")
            case .number: try add(path, .number, value.lexeme ?? "")
            case .boolean: try add(path, .boolean, value.bool == true ? "1" : "0")
            case .null: try add(path, .null, "")
            }
        }

        private mutating func add(
            _ path: String?, _ kind: EcommpayLeaf.Kind, _ value: String
        ) throws(Refusal) {
            let path = path ?? ""
            bytes += path.utf8.count + value.utf8.count
            guard leaves.count < leavesMax, bytes <= textBytesMax else {
                throw .malformed("callback_too_large", "more fields than any callback has")
            }
            leaves.append(EcommpayLeaf(path: path, kind: kind, value: value))
        }

        private static func join(_ path: String?, _ key: String) -> String {
            path.map { "\($0):\(key)" } ?? key
        }

        private static func escape(_ key: String) -> String {
            guard key.utf8.contains(UInt8(ascii: ":")) else { return key }
            return key.split(separator: ":", omittingEmptySubsequences: false).joined(
                separator: "::")
        }
    }
}
