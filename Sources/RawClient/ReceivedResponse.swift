/// An answer as it came.
package struct ReceivedResponse: Sendable, Equatable {
    package var status: Int
    /// In the order of arrival, names as received, values without the white space around them.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// Whether the connection may carry another request (RFC 9112 §9.3).
    package var keepsAlive: Bool

    package init(
        status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
        keepsAlive: Bool = true
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.keepsAlive = keepsAlive
    }

    /// The first value of the field `lowercasedName`.
    package func value(_ lowercasedName: String) -> String? {
        fields.first { $0.name.lowercased() == lowercasedName }?.value
    }

    package static func == (left: ReceivedResponse, right: ReceivedResponse) -> Bool {
        left.status == right.status && left.body == right.body
            && left.keepsAlive == right.keepsAlive
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}
