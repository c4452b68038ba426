import Testing

@testable import Pages

/// Text from providers and payers stays text.
@Suite struct MarkupTests {
    static let texts = [
        "<script>alert(1)</script>", "\" onmouseover=\"alert(1)", "' onfocus='alert(1)", "&amp;",
        "</title><img src=x onerror=alert(1)>", "`x`", "{{base}}", "\u{0}<b>", "a\r\nb",
        // Each pair of scalars is one character (Unicode's grapheme clusters).
        "\"\u{301} onmouseover=alert(1) x=", "<\u{338}img src=x>", "'\u{20D0}", ">\u{200D}",
        "&\u{301}lt;",
    ]

    @Test(arguments: texts) func `escaped text cannot end a text or an attribute`(_ text: String) {
        let escaped = MarkupEscaping().escapeText(text)
        let templates = PageTemplates([("page", "<p title=\"{{text}}\">{{text}}</p>")])
        for byte in escaped.utf8 {
            #expect(!"<>\"'`\0".utf8.contains(byte))
        }
        #expect(
            templates.render("page", ["text": text])
                == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    /// The library resets its escaping at the start of a partial and of a block.
    @Test func `partials and blocks are escaped like their page`() {
        let templates = PageTemplates([
            ("page", "{{<frame}}{{$inner}}{{text}}{{#list}}{{>part}}{{/list}}{{/inner}}{{/frame}}"),
            ("frame", "<i>{{text}}</i>{{$inner}}{{/inner}}"), ("part", "<b>{{text}}</b>"),
        ])
        let quote = "\"\u{301}"
        let values: PageValues = ["text": quote, "list": [["text": quote] as PageValues]]
        let rendered = templates.render("page", values)
        #expect(rendered.utf8.allSatisfy { $0 != UInt8(ascii: "\"") })
        #expect(rendered.utf8.starts(with: "<i>&quot;".utf8))
        #expect(rendered.hasSuffix("</b>"))
    }

    @Test func `an empty text counts as absent`() {
        let templates = PageTemplates([("page", "{{#a}}A{{/a}}{{^a}}-{{/a}}{{#b}}{{a}}B{{/b}}")])
        let values: PageValues = ["a": "", "b": [["a": ""] as PageValues]]
        #expect(templates.render("page", values) == "-B")
    }

    @Test func `templates have no inline scripts and styles`() {
        #expect(PageAssets.templates.count == 18)
        for (name, text) in PageAssets.templates {
            for word in ["{{{", "{{&", "<style", "style=", "javascript:", "://"]
            where text.replacing("https://YOUR-HOST", with: "").contains(word) {
                Issue.record("\(name) has \(word)")
            }
            #expect(text.matches(of: /\son[a-z]+=/).isEmpty, "\(name) has a handler")
            let scripts = text.matches(of: /<script(.*?)>(.*?)<\/script>/)
            #expect(scripts.allSatisfy { $0.output.2.isEmpty && $0.output.1.contains("src=") })
        }
        for asset in [PageAssets.style, PageAssets.script] {
            #expect(!String(decoding: asset.bytes, as: UTF8.self).contains("://"))
        }
    }

    /// The largest template, with the layout and all files that it loads.
    @Test func `a page with its files has at most 60 KB`() {
        let largest = PageAssets.templates.map(\.text.utf8.count).max() ?? 0
        let layout = PageAssets.templates.first { $0.name == "layout" }?.text.utf8.count ?? 0
        let files = PageAssets.files.values.reduce(0) { $0 + $1.bytes.count }
        #expect(largest + layout + files <= 60_000)
        #expect(files > 10_000)
    }
}

@Suite struct FormFieldsTests {
    @Test func `fields are decoded and empty ones are left out`() {
        let fields = FormFields(query: Array("text=a+b%26c&status=&x=%FF&flag=overdue".utf8)[...])
        #expect(fields["text"] == "a b&c")
        #expect(fields["status"] == nil)
        #expect(fields["x"] == nil)
        #expect(
            fields.query(changing: [("flag", nil), ("cursor", "7")]) == "text=a%20b%26c&cursor=7")
    }

    @Test func `a body is indented and its numbers keep their spelling`() {
        let body = #"{"amount":100.0,"list":[1,{"a":"\u00e9"}],"empty":{}}"#
        #expect(
            RequestText.laidOut(Array(body.utf8), type: "application/json") == """
                {
                  "amount": 100.0,
                  "list": [
                    1,
                    {
                      "a": "\\u00e9"
                    }
                  ],
                  "empty": {}
                }
                """)
        let form = "application/x-www-form-urlencoded"
        #expect(RequestText.laidOut(Array("a=1&b=x+y".utf8), type: form) == "a = 1\nb = x y")
        #expect(RequestText.laidOut(Array("<xml>".utf8), type: "text/xml") == "<xml>")
    }

    @Test func `amounts have the decimal places of their currency`() {
        #expect(
            PageText.money(.init(minor: 123_456_789, currency: .init("MYR")!)) == "1,234,567.89 MYR"
        )
        #expect(PageText.money(.init(minor: 1500, currency: .init("JPY")!)) == "1,500 JPY")
        #expect(PageText.money(.init(minor: -5, currency: .init("KWD")!)) == "−0.005 KWD")
    }
}
