import Bytes
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// Cases that the vectors of Braintree leave out.
@Suite struct BraintreeTests {
    private func xml(_ text: String) -> BraintreeXML? { BraintreeXML.parse(Array(text.utf8)) }

    @Test func `the reader knows the XML that Braintree writes`() throws {
        let root = try #require(
            xml(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <!-- a -- comment --><n a='1' b="2">
                  <id> x &amp; &lt;y&gt; &#233;&#x1F600;&quot;&apos; </id><e/><f></f>
                  <g nil="true"/><h nil="true">1</h><i><![CDATA[<&>]]></i>
                  <list type="array"><j>1</j><j>2</j></list>
                </n>
                """))
        #expect(root.name == "n" && root.children.count == 7)
        #expect(root["id"]?.text == "x & <y> é😀\"'")
        #expect(root["e"]?.text == "" && root["f"]?.text == "" && root.word("e") == nil)
        #expect(root["g"]?.text == nil && root["h"]?.text == nil)
        #expect(root.word("i") == "<&>" && root.word("list", "j") == "1")
        #expect(root["list"]?.children.compactMap(\.text) == ["1", "2"])
    }

    @Test(arguments: [
        "", "a", "<a>", "<a></b>", "<a><b></a></b>", "</a>", "<a/><b/>", "<a/>x", "x<a/>",
        "<!DOCTYPE a><a/>", "<a><!DOCTYPE b></a>", "<a><!ENTITY b></a>", "<a>&b;</a>",
        "<a>&amp</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#+1;</a>", "<a b=1/>", "<a b/>",
        "<a b=\"1/>", "<a", "<a><?p?></a>", "< a/>", "<a><![CDATA[</a>", "<a><!-- </a>",
    ])
    func `anything else is not read`(_ text: String) { #expect(xml(text) == nil, "\(text)") }

    @Test func `depth and number of elements are bounded`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(xml(nested(BraintreeXML.depthMax)) != nil)
        #expect(xml(nested(BraintreeXML.depthMax + 1)) == nil)
        let count = BraintreeXML.elementsMax
        #expect(xml("<r>" + String(repeating: "<a/>", count: count - 1) + "</r>") != nil)
        #expect(xml("<r>" + String(repeating: "<a/>", count: count) + "</r>") == nil)
    }

    private func read(
        _ kind: String, _ subject: String, currency: String? = "EUR"
    ) throws -> Notification {
        let text =
            "<notification><timestamp>2026-09-21T14:00:00Z</timestamp><kind>\(kind)</kind>"
            + "<subject>\(subject)</subject></notification>"
        let root = try #require(xml(text))
        return BraintreeInterpretation(
            root: root, signed: Array(text.utf8), currency: currency.flatMap { Currency($0) }
        ).notification
    }

    @Test func `a sum without a currency of its own is in the endpoint's`() throws {
        let sale = "<transaction><id>T</id><type>sale</type><amount>100</amount></transaction>"
        #expect(
            try read("transaction_settled", sale).effect == .attempt(.paid, Money.of(10_000, "EUR"))
        )
        let unknown = try read("transaction_settled", sale, currency: nil)
        #expect(unknown.effect == .doubt && unknown.flags == [.notUnderstood])
        let other = sale.replacing(
            "<type>", with: "<currency-iso-code>XXQ</currency-iso-code><type>")
        #expect(try read("transaction_settled", other).effect == .doubt)
    }

    @Test func `what cannot be acted on needs a person`() throws {
        for (kind, subject) in [
            ("transaction_settled", "<transaction><type>sale</type></transaction>"),
            (
                "transaction_settled",
                "<transaction><id>T</id><type>credit</type><amount>1</amount></transaction>"
            ),
            (
                "local_payment_funded",
                "<x><payment-id>P</payment-id><transaction><id>T</id><status>settled</status>"
                    + "</transaction></x>"
            ),
        ] {
            let read = try read(kind, subject)
            #expect(read.flags == [.notUnderstood], "\(subject)")
        }
        let dispute = "<dispute><id>D</id><transaction><id>T</id></transaction></dispute>"
        let new = try read("dispute_parted", dispute)
        #expect(new.effect == .doubt && new.flags == [.unknownKind] && new.transaction == "T")
        let status =
            "<x><payment-id>P</payment-id><transaction><id>T</id><status>parted</status>"
            + "</transaction></x>"
        let unknown = try read("local_payment_funded", status)
        #expect(unknown.effect == .attempt(.pending, nil) && unknown.flags == [.unknownStatus])
        let reviewed = try read("transaction_reviewed", "<transaction><id>T</id></transaction>")
        #expect(reviewed.effect == .none && reviewed.flags == [.providerReview])
    }

    @Test func `unusable settings are refused by name`() {
        func problem(_ change: (inout EndpointSettings) -> Void) -> String? {
            var changed = ProviderFixture.braintree.endpoint.settings
            change(&changed)
            do throws(SettingsError) {
                _ = try Braintree(settings: changed)
                return nil
            } catch {
                return error.key
            }
        }
        #expect(problem { _ in } == nil)
        #expect(problem { $0["keys"] = nil } == "keys")
        for text in ["abc", "|abc", "abc|", "|"] {
            #expect(problem { $0["keys"] = .secrets([Array(text.utf8)]) } == "keys[0]", "\(text)")
        }
        #expect(problem { $0["currency"] = "EURO" } == "currency")
        #expect(problem { $0["currency"] = nil } == nil)
    }
}
