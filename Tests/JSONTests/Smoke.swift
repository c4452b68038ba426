import JSON
import Testing
@Test func smoke() throws {
    let d = try JSONDocument(parsing: Array(#" {"a":[1,2.50,{"x":null}],"b":"h\u00e9\ud83d\ude00","\u0063":true, "n":-9223372036854775808}"#.utf8))
    #expect(d.root["a"]?.elements.map { $0.lexeme } == ["1", "2.50", nil])
    #expect(d.root["b"]?.string == "hé😀")
    #expect(d.root["c"]?.bool == true)
    #expect(d.root["n"]?.int64 == .min)
    #expect(d.root.at(pointer: "/a/2/x")?.isNull == true)
    var w = JSONWriter(); w.beginObject(); w.key("a"); w.string("x\"\u{1}"); w.key("b" as String); w.integer(3); w.endObject()
    #expect(String(decoding: w.bytes, as: UTF8.self) == #"{"a":"x\"\u0001","b":3}"#)
    #expect(throws: JSONError.duplicateKey(7)) { try JSONDocument(parsing: Array(#"{"a":1,"\u0061":2}"#.utf8)) }
}
