import TestSupport
import Testing

@testable import Redaction

@Suite struct CardNumberTests {
    private func masked(_ text: String) -> String { Redactor().masked(text) }

    private func isSuspicious(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Suspicion.isRaised(by: bytes.span)
    }

    /// The schemes' public test numbers.
    @Test(arguments: [
        ("4111111111111111", "411111******1111"), ("4222222222222", "422222***2222"),
        ("5555555555554444", "555555******4444"), ("2223003122003222", "222300******3222"),
        ("378282246310005", "378282*****0005"), ("30569309025904", "305693****5904"),
        ("3530111333300000", "353011******0000"), ("6011111111111117", "601111******1117"),
        ("6205500000000000004", "620550*********0004"), ("6759649826438453", "675964******8453"),
        ("2200000000000004", "220000******0004"),
    ])
    func `numbers of each scheme keep six and four digits`(number: String, expected: String) {
        #expect(masked(number) == expected)
        #expect(masked("card \(number), declined") == "card \(expected), declined")
        #expect(isSuspicious("x=\(number)"))
    }

    @Test(arguments: [
        ("4111 1111 1111 1111", "4111 11** **** 1111"),
        (
            "4111-1111-1111-1111 12/27",
            "4111-11**-****-1111 12/27"
        ),
        ("4111 1111 1111 1111 12 27", "4111 11** **** 1111 12 27"),
        ("3782 822463 10005", "3782 82**** *0005"),
        ("4111111111111111 123", "411111******1111 123"),
        ("4111111111111111\n5555555555554444", "411111******1111\n555555******4444"),
    ])
    func `groups and neighbours do not hide a number`(text: String, expected: String) {
        #expect(masked(text) == expected)
    }

    @Test(arguments: [
        "4111111111111112",  // the check digit is wrong
        "1764000000000", "20261129141112000",  // times
        "a4111111111111111", "4111111111111111b", "_4111111111111111", "4111111111111111.25",
        "41111111111111111111",  // too long
        "9111111111111111", "411 1111 1111 1111", "4111  1111 1111 1111",
        "4111 1111-1111 1111", "00004111111111111111",
    ])
    func `other digits stay`(text: String) {
        #expect(masked(text) == text)
    }

    /// The shortcut must not clear what the look at each byte does not.
    @Test func `the shortcut changes no answer`() {
        var random = SeededGenerator(seed: 29)
        let digits = (0...9).map { "\($0)" }
        let others = [
            " ", "-", "+", "%20", "%2D", "%2d", "%", "D", "x",
            "cvv", "CVC", "cvn", "Csc", "ecu", "cv", "\\u0034", "\\u00", "%34",
        ]
        var raised = 0
        for _ in 0..<20_000 {
            let words = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                random.pick(random.once(in: 5) ? others : digits)
            }
            let text = Array(words.joined().utf8)
            let byEachByte = Suspicion.isRaised(byEachByteOf: text.span)
            #expect(Suspicion.isRaised(by: text.span) == byEachByte, "\(text)")
            if byEachByte { raised += 1 }
        }
        #expect((1_000...19_000).contains(raised))
    }

    @Test func `nearly all texts are cleared by one look`() {
        for text in [
            #"{"id":"evt_1","amount":4200,"time":"2026-11-29T14:11:12Z"}"#, "a=1&b=2",
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        ] {
            #expect(!isSuspicious(text), "\(text)")
        }
        for text in [
            #"{"n":"\u0034111111111111111"}"#,
            #"{"n":"411111111111\u0031\u0031\u0031\u0031"}"#, "n=4111%201111%201111%201111",
            "n=%34111111111111111", "n=4111+1111+1111+1111", #"{"cardSecurityCode":"123"}"#,
            #"{"CVV2":"1"}"#, #"{"csc":1}"#,
        ] {
            #expect(isSuspicious(text), "\(text)")
        }
    }

    @Test func `names tell ids from cards`() {
        for name in ["id", "transaction_id", "orderReference", "created-at", "pspReference"] {
            #expect(ValueMeaning(name).isOfID, "\(name)")
        }
        for name in ["cardNumber", "card_id", "pan", "number", "account", "note"] {
            #expect(!ValueMeaning(name).isOfID, "\(name)")
        }
        for name in ["cvv", "card_cvc", "cardSecurityCode", "security-code", "CVV2"] {
            #expect(ValueMeaning(name).isOfSecurityCode, "\(name)")
        }
        for name in ["cvvResult", "code", "cvcCheck", "securityCodeResult"] {
            #expect(!ValueMeaning(name).isOfSecurityCode, "\(name)")
        }
    }
}
