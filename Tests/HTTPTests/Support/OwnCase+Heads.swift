extension OwnCase {
    static let requestLines: [OwnCase] = [
        OwnCase(
            "query without a path segment", "GET /?a HTTP/1.1\r\nHost: a\r\n\r\n", .echoes([""])),
        OwnCase(
            "leading bare LF", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            .refuses(400, "head_bare_lf")),
        OwnCase("leading CR alone", "\rGET / HTTP/1.1\r\n", .refuses(400, "head_bare_cr")),
        OwnCase("CRLF and then silence", "\r\n", .waits()),
        OwnCase(
            "TLS hello on a plain port", "\u{16}\u{3}\u{1}\u{2}", .refuses(400, "method_invalid")),
        OwnCase("NUL first", "\0", .refuses(400, "method_invalid")),
        OwnCase("two words", "GET /\r\n", .refuses(400, "version_invalid")),
        OwnCase("one word", "GET\r\n", .refuses(400, "method_invalid")),
        OwnCase("LF for SP", "GET\n/", .refuses(400, "head_bare_lf")),
        OwnCase("tab for SP", "GET\t/", .refuses(400, "request_line_whitespace")),
        OwnCase("empty method", " / HTTP/1.1\r\n", .refuses(400, "request_line_whitespace")),
        OwnCase("SP before CRLF", "GET / HTTP/1.1 \r\n", .refuses(400, "request_line_whitespace")),
        OwnCase("tab before CRLF", "GET / HTTP/1.1\t", .refuses(400, "request_line_whitespace")),
        OwnCase("bare LF after version", "GET / HTTP/1.1\n", .refuses(400, "head_bare_lf")),
        OwnCase("CR CR LF after version", "GET / HTTP/1.1\r\r\n", .refuses(400, "head_bare_cr")),
        OwnCase("version without minor", "GET / HTTP/1\r\n", .refuses(400, "version_invalid")),
        OwnCase("version 1.", "GET / HTTP/1.\r\n", .refuses(400, "version_invalid")),
        OwnCase("version with a letter", "GET / HTTP/1.x\r\n", .refuses(400, "version_invalid")),
        OwnCase("mixed-case protocol", "GET / Http/1.1\r\n", .refuses(400, "version_invalid")),
        OwnCase(
            "version 3.0", "GET / HTTP/3.0\r\nHost: a\r\n\r\n",
            .refuses(505, "version_not_supported")),
        OwnCase("version 0.0", "GET / HTTP/0.0\r\n", .refuses(505, "version_not_supported")),
        OwnCase("version 1.9", "GET / HTTP/1.9\r\nHost: a\r\n\r\n", .echoes([""])),
        OwnCase("PUT", "PUT / HTTP/1.1\r\nHost: a\r\n\r\n", .echoes([""])),
        OwnCase(
            "PUT with a body", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
            .echoes(["abc"])),
        OwnCase("Put", "Put / HTTP/1.1\r\nHost: a\r\n\r\n", .refuses(405, "method_not_allowed")),
        OwnCase(
            "PATCH with a body", "PATCH / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
            .refuses(405, "method_not_allowed")),
        OwnCase(
            "OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
            .refuses(405, "method_not_allowed")),
        OwnCase(
            "CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
            .refuses(405, "method_not_allowed")),
        OwnCase("a method waits for its head", "PUT / HTTP/1.1\r\nHost: a\r\n", .waits()),
        OwnCase("GETT", "GETT / HTTP/1.1\r\nHost: a\r\n\r\n", .refuses(405, "method_not_allowed")),
        OwnCase("Post", "Post / HTTP/1.1\r\nHost: a\r\n\r\n", .refuses(405, "method_not_allowed")),
        OwnCase(
            "HEAD", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            .echoes(["", ""])),
    ]

    static let targets: [OwnCase] = [
        .target("/a%2Fb%2f?c=%00", .echoes([""])),
        .target("//a//b", .echoes([""])),
        .target("/a/../b", .echoes([""])),
        .target("/a?b?c=/d", .echoes([""])),
        .target("/%", .refuses(400, "target_percent_invalid")),
        .target("/%4", .refuses(400, "target_percent_invalid")),
        .target("/?%4g", .refuses(400, "target_percent_invalid")),
        .target("/a[0]", .refuses(400, "target_invalid")),
        .target("/?a[]=1", .refuses(400, "target_invalid")),
        .target("/a#b", .refuses(400, "target_invalid")),
        .target("/a\"b", .refuses(400, "target_invalid")),
        .target("/a|b", .refuses(400, "target_invalid")),
        .target("/a^b", .refuses(400, "target_invalid")),
        .target("/<script>", .refuses(400, "target_invalid")),
        .target("/a\0b", .refuses(400, "target_invalid")),
        .target("?a", .refuses(400, "target_form_invalid")),
        .target("a:80", .refuses(400, "target_form_invalid")),
        .target("ftp://a/", .refuses(400, "target_form_invalid")),
        .target("http:/a/", .refuses(400, "target_form_invalid")),
        .target("http://", .refuses(400, "target_form_invalid")),
        .target("http://?a", .refuses(400, "target_form_invalid")),
        .target("http://user@a/", .refuses(400, "target_form_invalid")),
        .target("http://a:80/", .refuses(400, "host_differs_from_target")),
        .target("http://b/", .refuses(400, "host_differs_from_target")),
        .target("http://A/x", .echoes([""])),
        .target("HTTP://a/x", .echoes([""])),
        .target("https://a/x?y", .echoes([""])),
        .target("http://a", .echoes([""])),
        .target("http://a?b", .echoes([""])),
    ]

    static let hosts: [OwnCase] = [
        .host("a.b-c.example:8443", .echoes([""])),
        .host("a:", .echoes([""])),
        .host("127.0.0.1:80", .echoes([""])),
        .host("[::1]:8080", .echoes([""])),
        .host("[::ffff:192.0.2.1]", .echoes([""])),
        .host("a%2Db", .echoes([""])),
        .host("", .refuses(400, "host_invalid")),
        .host(":80", .refuses(400, "host_invalid")),
        .host("a:b", .refuses(400, "host_invalid")),
        .host("a:-1", .refuses(400, "host_invalid")),
        .host("a:65536", .refuses(400, "host_invalid")),
        .host("a:000080", .refuses(400, "host_invalid")),
        .host("a%2", .refuses(400, "host_invalid")),
        .host("user@a", .refuses(400, "host_invalid")),
        .host("http://a", .refuses(400, "host_invalid")),
        .host("[]", .refuses(400, "host_invalid")),
        .host("[1]", .refuses(400, "host_invalid")),
        .host("[::1]a", .refuses(400, "host_invalid")),
        .host("[::1%25eth0]", .refuses(400, "host_invalid")),
        .host("[v1.a]", .refuses(400, "host_invalid")),
        .host("::1", .refuses(400, "host_invalid")),
        .host("a\tb", .refuses(400, "host_invalid")),
        .host("a\\b", .refuses(400, "host_invalid")),
        OwnCase("no host", "GET / HTTP/1.1\r\nX: a\r\n\r\n", .refuses(400, "host_missing")),
        OwnCase("no host in 1.0", "GET / HTTP/1.0\r\n\r\n", .echoesAndCloses([""])),
        OwnCase(
            "empty host in 1.0", "GET / HTTP/1.0\r\nHost:\r\n\r\n", .refuses(400, "host_invalid")),
        OwnCase(
            "absolute-form without host in 1.0", "GET http://a/ HTTP/1.0\r\n\r\n",
            .refuses(400, "host_differs_from_target")),
        .lines("host again in other case", "hOST: a\r\n", .refuses(400, "host_repeated")),
    ]

    static let fieldLines: [OwnCase] = [
        .lines("empty value", "X:\r\nY: \t \r\n", .echoes([""])),
        .lines("one-letter names of every kind", "!: a\r\n~: b\r\n`: c\r\n", .echoes([""])),
        .lines("value of colons", "X: ::::\r\n", .echoes([""])),
        .lines("fold on the last line", "X: a\r\n \r\n", .refuses(400, "field_obsolete_fold")),
        .lines("name with a comma", "A,B: c\r\n", .refuses(400, "field_name_invalid")),
        .lines("name with quotes", "\"A\": c\r\n", .refuses(400, "field_name_invalid")),
        .lines("name with a NUL", "A\0: c\r\n", .refuses(400, "field_name_invalid")),
        .lines("tab before the colon", "A\t: c\r\n", .refuses(400, "field_name_whitespace")),
        .lines("LF in a name", "A\nB: c\r\n", .refuses(400, "head_bare_lf")),
        .lines("bare LF line end", "A: b\n", .refuses(400, "head_bare_lf")),
        .lines("CR CR LF line end", "A: b\r\r\n", .refuses(400, "head_bare_cr")),
        .lines("BEL in a value", "A: \u{7}\r\n", .refuses(400, "field_value_invalid")),
        .lines("form feed in a value", "A: b\u{C}c\r\n", .refuses(400, "field_value_invalid")),
        .lines(
            "DEL in a long value", "A: 0123456789abcde\u{7F}f\r\n",
            .refuses(400, "field_value_invalid")),
        .lines("BOM in a name", "\u{EF}\u{BB}\u{BF}A: b\r\n", .refuses(400, "field_name_invalid")),
        OwnCase(
            "empty line with a bare LF", "GET / HTTP/1.1\r\nHost: a\r\n\n",
            .refuses(400, "head_bare_lf")),
        OwnCase(
            "NUL for the line end", "GET / HTTP/1.1\r\nHost: a\0",
            .refuses(400, "field_value_invalid")),
        .lines("close among options", "Connection: a, Close ,b\r\n", .echoesAndCloses([""])),
        .lines(
            "close on a second line", "Connection: x\r\nConnection: close\r\n",
            .echoesAndCloses([""])),
        .lines("close and keep-alive", "Connection: keep-alive, close\r\n", .echoesAndCloses([""])),
        .lines("an option that contains close", "Connection: closed\r\n", .echoes([""])),
        .lines("a connection of commas", "Connection: ,,\r\n", .echoes([""])),
        .lines(
            "expectation with a list", "Expect: 100-continue, a\r\n",
            .refuses(417, "expectation_unknown")),
        .lines("empty expectation", "Expect:\r\n", .refuses(417, "expectation_unknown")),
        .lines(
            "expectation twice", "Expect: 100-continue\r\nExpect: 100-continue\r\n",
            .refuses(417, "expectation_unknown")),
        .lines("expectation without a body", "Expect: 100-continue\r\n", .echoes([""])),
        OwnCase(
            "unknown expectation in 1.0", "GET / HTTP/1.0\r\nExpect: x\r\n\r\n",
            .echoesAndCloses([""])),
        OwnCase(
            "keep-alive in 1.0", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", .echoes([""])),
    ]
}
