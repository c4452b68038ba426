import Bytes
import Records
import Testing

@Suite struct RecordHeadTests {
    private func shown(_ record: String) throws -> String {
        var bytes = Array(record.utf8)
        bytes = try bytes.withUnsafeBytes { try RecordHead.withoutPersonalData($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (
            #"{"sequence":1,"event":{"id":"a"},"request":{"body":"joe"},"peer":"192.0.2.1"}"#,
            #"{"sequence":1,"event":{"id":"a"}}"#
        ),
        (
            #"{"sequence":1,"inquiry":{"answer":"joe"},"order":{"reference":"R"}}"#,
            #"{"sequence":1,"order":{"reference":"R"}}"#
        ),
        (
            #"{"event":{"expectation":{"metadata":{"m":"joe"},"expires":"x"},"id":"a"},"peer":""}"#,
            #"{"event":{"expectation":{"expires":"x"},"id":"a"}}"#
        ),
        (
            #"{"event":{"action":{"by":"admin","remote":"192.0.2.1","reason":"r"}}}"#,
            #"{"event":{"action":{"by":"admin","reason":"r"}}}"#
        ),
        // Only these members of these objects.
        (
            #"{"event":{"peer":"a","metadata":1,"reference":"\u0022}{"},"order":{"request":[{}]}}"#,
            #"{"event":{"peer":"a","metadata":1,"reference":"\u0022}{"},"order":{"request":[{}]}}"#
        ),
    ])
    func `personal data is left out and nothing else`(record: String, expected: String) throws {
        #expect(try shown(record) == expected)
    }

    @Test(arguments: ["", "[]", #"{"event":7}"#, #"{"event":{"action":"x"}}"#, #"{"peer":"x"#])
    func `what is no record is not shown`(text: String) {
        #expect(throws: (any Error).self) { try shown(text) }
    }
}
