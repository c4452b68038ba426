/// One limit as the configuration and its help see it.
package struct LimitName: Sendable {
    /// What the number counts.
    package enum Unit: String, Sendable { case bytes, seconds, count }

    /// The name in the configuration's `limits` section, the same as the property's.
    package let name: String
    package let unit: Unit
    /// What the limit is about, in one line without a full stop.
    package let summary: String
    /// Reads and sets the limit in a `Limits`.
    package let path: any WritableKeyPath<Limits, Int> & Sendable
    /// The values that make sense. Zero would switch the server off rather than limit it, and the
    /// upper end keeps sums of limits far from overflow.
    package let range: ClosedRange<Int>

    /// The value when the configuration is silent.
    package var defaultValue: Int { Limits()[keyPath: path] }
}
