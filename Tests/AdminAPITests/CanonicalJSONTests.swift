import JSON
import Testing

@testable import AdminAPI

@Suite struct CanonicalJSONTests {
    @Test(arguments: [
        (#" { "b" : 1 , "a" : [ true , null ] } "#, #"{"a":[true,null],"b":1}"#),
        (#"{"n":1.0,"m":1e3}"#, #"{"m":1e3,"n":1.0}"#),
        (#"{"s":"\u0041\n"}"#, #"{"s":"A\n"}"#), ("{}", "{}"),
        (#"{"x":{"z":1,"y":2}}"#, #"{"x":{"y":2,"z":1}}"#),
    ])
    func `each value has one spelling`(_ text: String, _ canonical: String) throws {
        var writer = JSONWriter()
        CanonicalJSON.write(try JSONDocument(parsing: Array(text.utf8)).root, to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == canonical)
    }
}
