import JSON
import Testing

@testable import Explain

@Suite struct JSONLayoutTests {
    private static let source = #"{ "b":"é/\"😀" , "a":[1.50,{ }, [ ],true,null] }"#

    @Test(arguments: [
        (JSONLayout(), #"{"b":"é/\"😀","a":[1.50,{},[],true,null]}"#),
        (JSONLayout(sortsKeys: true), #"{"a":[1.50,{},[],true,null],"b":"é/\"😀"}"#),
        (JSONLayout(space: .spaced), #"{"b": "é/\"😀", "a": [1.50, {}, [], true, null]}"#),
        (
            JSONLayout(escapes: .lowerHex, escapesSlashes: true),
            #"{"b":"\u00e9\/\"\ud83d\ude00","a":[1.50,{},[],true,null]}"#
        ),
        (
            JSONLayout(space: .twoSpaces),
            "{\n  \"b\": \"é/\\\"😀\",\n  \"a\": "
                + "[\n    1.50,\n    {},\n    [],\n    true,\n    null\n  ]\n}"
        ),
    ])
    func `layouts match those of common programs`(_ layout: JSONLayout, _ text: String) throws {
        let root = try JSONDocument(parsing: Array(Self.source.utf8)).root
        #expect(String(decoding: layout.write(root), as: UTF8.self) == text)
    }
}
