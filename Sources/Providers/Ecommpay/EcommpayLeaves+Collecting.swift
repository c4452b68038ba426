import JSON

extension EcommpayLeaves {
    /// Maximum number of scalars. The documented callbacks have about fifty.
    static let leavesMax = 1024

    /// Maximum bytes of paths and values together for each byte of the body. A long key is copied
    /// into the path of each value below it; in the documented callbacks, paths and values together
    /// are as long as the body.
    static let textBytesPerByteMax = 4

    /// Bytes of paths and values that any body may have, however short.
    static let textBytesFree = 4096

    /// Cost of finding a leaf besides its bytes.
    private static let leafBytes = 32

    /// Collects the signed scalars of `root`. Members named `signature` or `frame_mode` are left
    /// out at every depth; empty arrays and objects have no scalars.
    ///
    /// - Throws: ``Refusal``, malformed: `callback_too_large`, `verification_too_costly`.
    init(of root: JSONValue, work: inout VerificationWork) throws(Refusal) {
        var collector = Collector(
            textBytesMax: work.receivedBytes * Self.textBytesPerByteMax + Self.textBytesFree)
        collector.collect(root, isRoot: true)
        guard !collector.isTooLarge else {
            throw .malformed("callback_too_large", "more fields or longer paths than any callback")
        }
        // Each path was built once, and copied with its value.
        let leaves = collector.leaves
        try work.spend(2 * leaves.text.count + leaves.leaves.count * Self.leafBytes)
        self = collector.leaves
    }

    /// Collects the scalars of a body that ipnd wrote itself.
    ///
    /// - Throws: ``Refusal``, malformed: `callback_too_large`.
    init(of root: JSONValue) throws(Refusal) {
        var work = VerificationWork(receivedBytes: root.rawBytes.count)
        try self.init(of: root, work: &work)
    }

    private struct Collector {
        var leaves = EcommpayLeaves()
        let textBytesMax: Int
        var isTooLarge = false

        /// The path of the current value.
        private var path: [UInt8] = []

        init(textBytesMax: Int) { self.textBytesMax = textBytesMax }

        mutating func collect(_ value: JSONValue, isRoot: Bool = false) {
            switch value.kind {
            case .object:
                value.forEachMember { key, member in
                    guard !key.spells("signature"), !key.spells("frame_mode") else { return }
                    collect(member, under: key, isRoot: isRoot)
                }
            case .array:
                for (index, element) in value.elements.enumerated() {
                    collect(element, under: String(index).utf8.span, isRoot: isRoot)
                }
            case .string: add(.string) { value.appendText(to: &$0) }
            case .number: add(.number) { value.appendText(to: &$0) }
            case .boolean: add(.boolean) { $0.append(UInt8(ascii: value.bool == true ? "1" : "0")) }
            case .null: add(.null) { _ in }
            }
        }

        private mutating func collect(
            _ value: JSONValue, under key: Span<UInt8>, isRoot: Bool
        ) {
            let end = path.count
            if !isRoot { path.append(UInt8(ascii: ":")) }
            if key.count(of: UInt8(ascii: ":")) == 0 {
                path.append(key)
            } else {
                for index in key.indices {
                    path.append(key[index])
                    if key[index] == UInt8(ascii: ":") { path.append(key[index]) }
                }
            }
            collect(value)
            path.removeLast(path.count - end)
        }

        @inline(__always)
        private mutating func add(
            _ kind: EcommpayLeaf.Kind, _ appendValue: (inout [UInt8]) -> Void
        ) {
            guard !isTooLarge else { return }
            leaves.append(path[...], kind, appendValue)
            // The colon between path and value is not counted.
            isTooLarge =
                leaves.leaves.count > leavesMax
                || leaves.text.count - leaves.leaves.count > textBytesMax
        }
    }
}
