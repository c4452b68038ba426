import Payments
import Testing

@testable import Providers

@Suite struct RecipeSourceTests {
    private func transaction(
        _ source: Source, _ body: String, settings: [String: SettingValue?] = [:],
        headers: [String?] = []
    ) -> String? {
        let fields = RecipeShop.fields {
            $0.transaction = source
            $0.identity = []
        }
        let read = RecipeShop.read(
            #"{"type":"failed","order":"R",\#(body)}"#, fields, settings: settings,
            headers: headers)
        return read[0].transaction
    }

    @Test(arguments: [
        (#""a":"1","b":"2""#, "1"), (#""b":"2""#, "2"), (#""a":null,"b":"2""#, "2"),
        (#""a":"","b":"2""#, "2"), (#""a":7,"b":"2""#, "7"),
        // What is there and is no word is not passed over for another value.
        (#""a":{},"b":"2""#, nil), (#""a":true,"b":"2""#, nil), (#""a":[],"b":"2""#, nil),
        (#""c":1"#, nil),
    ])
    func `the first that is there is read`(_ body: String, _ word: String?) {
        #expect(transaction(.first(["/a", "/b"]), body) == word)
    }

    @Test func `parts are joined, and one that is absent makes all absent`() {
        let join = Source.join(["/a", .text("x"), .optional("/b")], with: ".")
        #expect(transaction(join, #""a":"1","b":"2""#) == "1.x.2")
        #expect(transaction(join, #""a":"1","b":null"#) == "1.x.")
        #expect(transaction(join, #""b":"2""#) == nil)
        #expect(transaction(join, #""a":"1","b":{}"#) == nil)
        let long = String(repeating: "z", count: 200)
        #expect(transaction(join, #""a":"\#(long)","b":"\#(long)""#) == nil)
    }

    @Test func `a prefix is added where it is missing`() {
        let source = Source.prefixed("order_", of: "/a")
        #expect(transaction(source, #""a":"7""#) == "order_7")
        #expect(transaction(source, #""a":"order_7""#) == "order_7")
        #expect(transaction(source, #""a":null"#) == nil)
    }

    @Test func `headers, settings and constants are sources`() {
        #expect(transaction(.header("X-Event"), #""a":1"#, headers: ["E"]) == "E")
        #expect(transaction(.header("X-Event"), #""a":1"#, headers: [nil]) == nil)
        #expect(transaction(.setting("s"), #""a":1"#, settings: ["s": "T"]) == "T")
        #expect(transaction(.setting("s"), #""a":1"#) == nil)
        let pointers: [String: SettingValue?] = ["s": .texts(["/x", "/a~1b"])]
        #expect(transaction(.setting("s"), #""a/b":"P""#, settings: pointers) == "P")
        #expect(transaction(.text("T"), #""a":1"#) == "T")
    }

    @Test func `conditions choose a source`() {
        let isOpen = Condition("/state", .isOneOf(["open"]))
        let source = Source.first([.when([isOpen], "/a"), .unless([isOpen], "/b")])
        #expect(transaction(source, #""state":"open","a":"1","b":"2""#) == "1")
        #expect(transaction(source, #""state":"shut","a":"1","b":"2""#) == "2")
        #expect(transaction(source, #""a":"1","b":"2""#) == "2")
    }

    @Test(arguments: [
        (Condition("/a", .isOneOf(["x", "true"])), #""a":"x""#, true),
        (Condition("/a", .isOneOf(["x", "true"])), #""a":true"#, true),
        (Condition("/a", .isOneOf(["x", "true"])), #""a":false"#, false),
        (Condition("/a", .isOneOf(["x"])), #""b":1"#, false),
        (Condition("/a", .isOneOf(["7"])), #""a":7"#, true),
        // The same letter by other bytes.
        (Condition("/a", .isOneOf(["\u{e9}"])), #""a":"e\u0301""#, false),
        (Condition("/a", .isNoneOf(["x"])), #""a":"y""#, true),
        (Condition("/a", .isNoneOf(["x"])), #""a":"x""#, false),
        (Condition("/a", .isNoneOf(["x"])), #""b":"x""#, true),
        (Condition("/a", .isPresent(true)), #""a":{}"#, true),
        (Condition("/a", .isPresent(true)), #""a":"""#, false),
        (Condition("/a", .isPresent(false)), #""a":null"#, true),
        (Condition("/a", .startsWith(["ab"])), #""a":"abc""#, true),
        (Condition("/a", .startsWith(["ab"])), #""a":"bab""#, false),
        (Condition("/a", .endsWith(["_00"])), #""a":"evt_00""#, true),
        (Condition("/a", .endsWith(["_00"])), #""a":"evt_001""#, false),
        (Condition("/a", .differsFrom("/b")), #""a":"1","b":"2""#, true),
        (Condition("/a", .differsFrom("/b")), #""a":"1","b":"1""#, false),
        (Condition("/a", .differsFrom("/b")), #""a":"1""#, false),
    ])
    func `each test of a condition holds where it should`(
        _ condition: Condition, _ body: String, _ holds: Bool
    ) {
        let found = transaction(.when([condition], .text("T")), body)
        #expect((found != nil) == holds, "\(condition) \(body)")
    }

    @Test func `a condition looks at settings and headers, too`() {
        let setting = Source.when([Condition(.setting("s"), .isOneOf(["on"]))], .text("T"))
        #expect(transaction(setting, #""a":1"#, settings: ["s": "on"]) == "T")
        #expect(transaction(setting, #""a":1"#, settings: ["s": "off"]) == nil)
        let header = Source.when([Condition(.header("h"), .isOneOf(["1"]))], .text("T"))
        #expect(transaction(header, #""a":1"#, headers: ["1"]) == "T")
        #expect(transaction(header, #""a":1"#, headers: ["2"]) == nil)
    }

    @Test func `half an identity is none, but for the parts that may be absent`() {
        let fields = RecipeShop.fields { $0.identity = ["/id", .optional("/part")] }
        let body = { (id: String) in
            #"{\#(id)"order":"R","payment":"P","type":"failed"}"#
        }
        let one = RecipeShop.read(body(#""id":"1","part":null,"#), fields)[0]
        let two = RecipeShop.read(body(#""id":"1","part":"2","#), fields)[0]
        #expect(one.id != two.id && one.flags.isEmpty && two.flags.isEmpty)
        let none = RecipeShop.read(body(#""part":"2","#), fields)[0]
        #expect(none.flags == [.notUnderstood] && none.effect == .none)
        let bad = RecipeShop.read(body(#""id":"1","part":{},"#), fields)[0]
        #expect(bad.flags == [.notUnderstood])
    }

    @Test func `array elements and escaped names are found`() {
        #expect(transaction("/a/1/b", #""a":[0,{"b":"x"}]"#) == "x")
        #expect(transaction("/a/01", #""a":["x","y"]"#) == nil)
        #expect(transaction("/a/2", #""a":["x","y"]"#) == nil)
        #expect(transaction("/~0~1", #""~/":"x""#) == "x")
        #expect(PointerPath("/~2") == nil && PointerPath("x") == nil && PointerPath("") != nil)
    }

    @Test func `fields of a form are members`() {
        let fields = RecipeShop.fields { $0.identity = [] }
        let body = "type=paid&order=R%201&payment=P&amount=4200&currency=EUR"
        let read = RecipeShop.read(body, fields, form: .form)[0]
        #expect(read.reference == "R 1" && read.effect == .attempt(.paid, .of(4200, "EUR")))
        let twice = RecipeShop.read(body + "&amount=1", fields, form: .form)[0]
        #expect(twice.flags == [.notUnderstood])
    }
}
