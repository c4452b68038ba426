/// How the log on standard error looks.
package struct LogConfiguration: Sendable, Equatable {
    /// swift-log's levels.
    package enum Level: String, Sendable, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    package enum Format: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// One JSON object a line.
        case json
    }

    package var level = Level.info
    package var format = Format.text

    package init() {}
}
