import JSON

extension EcommpayLeaves {
    /// Most scalars that are read, and most bytes of paths and values together. They bound the work
    /// that a body costs before anybody has shown that he may cause it: one long key over many
    /// values would be copied into each path.
    static let leavesMax = 1024
    static let textBytesMax = 1 << 20

    /// Keys named `signature` or `frame_mode` are left out at every depth, with all that is under
    /// them; empty arrays and objects give nothing.
    ///
    /// - Throws: ``Refusal``, malformed: `callback_too_large`.
    init(of root: JSONValue) throws(Refusal) {
        var collector = Collector()
        try collector.collect(root, isRoot: true)
        self = collector.leaves
    }

    private struct Collector {
        var leaves = EcommpayLeaves()

        /// Of the value that is looked at.
        private var path: [UInt8] = []
        private var bytes = 0

        mutating func collect(_ value: JSONValue, isRoot: Bool = false) throws(Refusal) {
            switch value.kind {
            case .object:
                var members = value.members
                while let (key, member) = members.nextUTF8() {
                    guard !key.spells("signature"), !key.spells("frame_mode") else { continue }
                    try collect(member, under: key, isRoot: isRoot)
                }
            case .array:
                for (index, element) in value.elements.enumerated() {
                    try collect(element, under: Array(String(index).utf8)[...], isRoot: isRoot)
                }
            case .string: try add(.string, value.utf8 ?? [])
            case .number: try add(.number, value.rawBytes)
            case .boolean: try add(.boolean, value.bool == true ? Self.one : Self.zero)
            case .null: try add(.null, [])
            }
        }

        private mutating func collect(
            _ value: JSONValue, under key: ArraySlice<UInt8>, isRoot: Bool
        ) throws(Refusal) {
            let end = path.count
            if !isRoot { path.append(UInt8(ascii: ":")) }
            if key.span.count(of: UInt8(ascii: ":")) == 0 {
                path.append(contentsOf: key)
            } else {
                for byte in key {
                    path.append(byte)
                    if byte == UInt8(ascii: ":") { path.append(byte) }
                }
            }
            try collect(value)
            path.removeSubrange(end...)
        }

        private mutating func add(
            _ kind: EcommpayLeaf.Kind, _ value: ArraySlice<UInt8>
        ) throws(Refusal) {
            bytes += path.count + value.count
            guard leaves.leaves.count < leavesMax, bytes <= textBytesMax else {
                throw .malformed("callback_too_large", "more fields than any callback has")
            }
            leaves.append(path[...], kind, value)
        }

        private static let one = Array("1".utf8)[...]
        private static let zero = Array("0".utf8)[...]
    }
}
