/// A genuine notification of Antom, published with its key and signature in the provider's own SDK
/// (alipay/global-open-sdk-java, `TestCase.verifyNotriyReqTest`). Only public data.
enum AntomVector {
    static let publicKey = #"""
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAh/u8qQRxsvTv7epRXx3693VfjIgfZgcTMTdOeTRq\#
        dVdNSzNcEkwaA99O4HXLB4xklzhEbgAG7CfJ9fhkKiTgVb4S4hEiSryFnnOcJ/0uiTpV/vrbofxQmeULOZ6O\#
        oSVvY0rxQUcPVYdMzp+kLU6Qkcg8t6t9xkzzNf2v4wRLp1FDb8+SD+vF60vMUAVH5a/6nNh3yMQAs1bsVKDX\#
        W6gUKq0WvCWCYQhuhVEKzLCjtegzvLO+y6HX+v8EwofwQAUWDHhXzU3MOcKaZ5rp7mx+CY75WhiT9eYi5Tsv\#
        IJbXKeZozJG6tpNhrr87pwpq4tJby0XXxmpjdInsrEJDGHUDKQIDAQAB
        """#

    /// Base64, after the percent-decoding of the header's parameter.
    static let signature = #"""
        Sdx0JwVSxpCO1NeitkTmxHTVeGwvFRFVGJHvO+62nnCWnxsZO2mkCopcAYJYqKQpoKj5Jo1HUzqjcV3ZjqTx\#
        kAVox7Rw4a5wzIFcykSIOzfd3qRLdp6lsaZHgCVNC6FL/pyXyCSaaWn4WiJmOJfkhcsX8GEMnUQoFdgtTu8r\#
        mWo0QG209A7G8aVBovYkGetqgVCNbjgTTl57IZjxdatQt7KoY7nL3m2VlXADeBQnpoaeXOs5qsSUXOwUrS2+\#
        hY4hMjxmarGD4iRwxI5+eHi5Sf4geaj99VVahkfdvW80TUIOC0xA/wMXOyNbSooImRtD/FWWGcoLGk5HZn0K\#
        ohTA2w==
        """#

    static let body = #"""
        {"actualPaymentAmount":{"currency":"PHP","value":"100"},"notifyType":"PAYMENT_RESULT\#
        ","notifyUrl":"https://local.allpay-test.com/api/back?allPayTn=5a9ddf96cc89dd3013454\#
        9d68abbbd4a","paymentAmount":{"currency":"PHP","value":"100"},"paymentCreateTime":"2\#
        019-11-12T17:36:04+08:00","paymentId":"093604157355136494636350037908059631krbkwaTbZ\#
        W201911110000388037","paymentRequestId":"cc89dd30134549d6","paymentTime":"2019-11-12\#
        T17:36:04+08:00","pspCustomerInfo":{"displayCustomerId":"test***@xxx.com","pspCustom\#
        erId":"20881111111234","pspName":"GCASH"},"result":{"resultCode":"SUCCESS","resultMe\#
        ssage":"success.","resultStatus":"S"}}
        """#

    /// The text that Antom signs: method, path, client id, time and body (its page "Digital
    /// signature").
    static func message(
        path: String = "/api/back", clientID: String = "T_ALLPAY_1",
        time: String = "2019-11-12T09:37:00Z", body: String = body
    ) -> [ArraySlice<UInt8>] {
        ["POST ", path, "\n", clientID, ".", time, ".", body].map { Array($0.utf8)[...] }
    }
}
