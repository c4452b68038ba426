/// What a text may ask of the parser before it is refused.
///
/// RFC 8259 §9 allows an implementation to limit nesting and size; these are the limits that
/// protect a server from a hostile sender. The size in bytes is limited where the bytes arrive.
package struct JSONLimits: Sendable, Equatable {
    /// How many objects and arrays may stand inside each other. A bare scalar has depth 0.
    package var depthMax = 64
    /// How many values a text may hold, objects and arrays counted, member names not.
    /// A value costs 16 bytes beside the text, 32 with its name.
    package var nodesMax = 100_000

    /// For what comes from our own server or journal: a page of records has any number of values,
    /// and its bytes are limited where they arrive.
    package static let trusted = JSONLimits(nodesMax: .max)

    /// The defaults suit a notification; the configuration may set others.
    package init(depthMax: Int = 64, nodesMax: Int = 100_000) {
        self.depthMax = depthMax
        self.nodesMax = nodesMax
    }
}
