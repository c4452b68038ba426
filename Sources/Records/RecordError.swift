import JSON

/// What can be wrong with a record that the journal holds.
package enum RecordError: Error, Sendable, Equatable {
    /// It is no JSON of the form that `RecordEncoder` writes.
    case json(JSONError)
    /// A newer program wrote it.
    case schema(Int64)
    /// The record says another sequence than its place in the journal.
    case sequence(Int64)
    /// A member is missing.
    case missing(String)
    /// A member has a value that it cannot have.
    case value(String)

    package var reason: String {
        switch self {
        case .json: "record_json"
        case .schema: "record_schema"
        case .sequence: "record_sequence"
        case .missing: "record_member_missing"
        case .value: "record_member_value"
        }
    }
}

extension RecordError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .json(let error): "not the JSON of a record: \(error.reason)"
        case .schema(let schema): "schema \(schema) is newer than this program"
        case .sequence(let sequence): "the record calls itself \(sequence)"
        case .missing(let member): "\(member) is missing"
        case .value(let member): "\(member) has a value that it cannot have"
        }
    }
}
