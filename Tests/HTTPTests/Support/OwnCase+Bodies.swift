extension OwnCase {
    static let lengths: [OwnCase] = [
        .post("length with OWS", "Content-Length: \t 3 \t\r\n", "abc", .echoes(["abc"])),
        .post(
            "length behind zeros", "Content-Length: 00000000000000000000003\r\n", "abc",
            .echoes(["abc"])),
        .post(
            "length with a plus", "Content-Length: +3\r\n", "abc",
            .refuses(400, "content_length_invalid")),
        .post(
            "length in hexadecimal", "Content-Length: 0x3\r\n", "abc",
            .refuses(400, "content_length_invalid")),
        .post(
            "length with an underscore", "Content-Length: 1_0\r\n", "abc",
            .refuses(400, "content_length_invalid")),
        .post(
            "length with a semicolon", "Content-Length: 3;\r\n", "abc",
            .refuses(400, "content_length_invalid")),
        .post(
            "length as a list of one value", "Content-Length: 3, 3\r\n", "abc",
            .refuses(400, "content_length_invalid")),
        .post(
            "length of fullwidth digits", "Content-Length: \u{EF}\u{BC}\u{93}\r\n", "abc",
            .refuses(400, "content_length_invalid")),
        .post(
            "length twice", "Content-Length: 3\r\nCONTENT-LENGTH: 3\r\n", "abc",
            .refuses(400, "content_length_repeated")),
        .post(
            "length beyond 64 bits", "Content-Length: 18446744073709551619\r\n", "abc",
            .refuses(413, "body_too_large")),
        .post(
            "a huge length that is none", "Content-Length: 99999999999999999999x\r\n", "",
            .refuses(400, "content_length_invalid")),
        .post(
            "length just too large", "Content-Length: 1048577\r\n", "",
            .refuses(413, "body_too_large")),
        .post(
            "too large with 100-continue", "Content-Length: 1048577\r\nExpect: 100-continue\r\n",
            "", .refuses(413, "body_too_large")),
        .post("length at the limit", "Content-Length: 1048576\r\n", "", .waits()),
        .post("no length", "", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", .echoes(["", ""])),
        .post(
            "length in 1.0", "Content-Length: 3\r\n", "abc", .echoesAndCloses(["abc"]),
            version: "1.0"),
        .post(
            "a NUL behind the body", "Content-Length: 3\r\n", "abc\0",
            .refuses(400, "method_invalid", after: 1)),
        .post(
            "two CRLF behind the body", "Content-Length: 3\r\n", "abc\r\n\r\n",
            .refuses(400, "empty_lines_before_request", after: 1)),
        .post(
            "bytes behind a closing request", "Content-Length: 1\r\nConnection: close\r\n", "abc\0",
            .echoesAndCloses(["a"])),
        .post("body not yet there", "Content-Length: 3\r\n", "ab", .waits()),
    ]

    static let codings: [OwnCase] = [
        .post("coding in upper case", "TRANSFER-ENCODING: CHUNKED\r\n", "0\r\n\r\n", .echoes([""])),
        .post(
            "gzip first", "Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n",
            .refuses(501, "transfer_encoding_unsupported")),
        .post(
            "gzip last", "Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n",
            .refuses(400, "transfer_encoding_not_chunked")),
        .post(
            "gzip alone", "Transfer-Encoding: gzip\r\n", "0\r\n\r\n",
            .refuses(400, "transfer_encoding_not_chunked")),
        .post(
            "identity", "Transfer-Encoding: identity\r\n", "",
            .refuses(400, "transfer_encoding_not_chunked")),
        .post(
            "chunked twice in a list", "Transfer-Encoding: chunked, chunked\r\n", "",
            .refuses(501, "transfer_encoding_unsupported")),
        .post(
            "chunked with a parameter", "Transfer-Encoding: chunked;q=1\r\n", "",
            .refuses(400, "transfer_encoding_not_chunked")),
        .post(
            "chunked in 1.0", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n",
            .refuses(400, "transfer_encoding_in_http_1_0"), version: "1.0"),
        .post(
            "both, length zero", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n",
            .refuses(400, "content_length_and_transfer_encoding")),
        .post(
            "both, unknown coding", "Transfer-Encoding: x\r\nContent-Length: 1\r\n", "a",
            .refuses(400, "content_length_and_transfer_encoding")),
        .post(
            "both in 1.0", "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "a",
            .refuses(400, "content_length_and_transfer_encoding"), version: "1.0"),
        .lines("chunked GET", "Transfer-Encoding: chunked\r\n", .waits()),
    ]

    static let chunks: [OwnCase] = [
        .chunked(
            "sizes in both cases", "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n",
            .echoes(["01234567890123456789"])),
        .chunked("several zeros end it", "3\r\nabc\r\n0000\r\n\r\n", .echoes(["abc"])),
        .chunked("an extension on the last chunk", "0;a=b\r\n\r\n", .echoes([""])),
        .chunked("a quoted extension", "1;a=\"\\\"; \u{E9}\"\r\nx\r\n0\r\n\r\n", .echoes(["x"])),
        .chunked("an empty quoted extension", "1;a=\"\"\r\nx\r\n0\r\n\r\n", .echoes(["x"])),
        .chunked(
            "CRLF inside quotes", "1;a=\"\r\n\"\r\nx", .refuses(400, "chunk_extension_invalid")),
        .chunked("text behind quotes", "1;a=\"b\"c\r\nx", .refuses(400, "chunk_extension_invalid")),
        .chunked(
            "an extension without value", "1;a=\r\nx", .refuses(400, "chunk_extension_invalid")),
        .chunked(
            "an extension without name", "1;=a\r\nx", .refuses(400, "chunk_extension_invalid")),
        .chunked("two semicolons", "1;;a\r\nx", .refuses(400, "chunk_extension_invalid")),
        .chunked("space before the semicolon", "1 ;a\r\nx", .refuses(400, "chunk_size_invalid")),
        .chunked(
            "space behind the semicolon", "1; a\r\nx", .refuses(400, "chunk_extension_invalid")),
        .chunked(
            "space around the equals sign", "1;a =b\r\nx",
            .refuses(400, "chunk_extension_invalid")),
        .chunked(
            "an escaped control", "1;a=\"\\\u{1}\"\r\nx", .refuses(400, "chunk_extension_invalid")),
        .chunked("size 0x1", "0x1\r\nx", .refuses(400, "chunk_size_invalid")),
        .chunked("size 1h", "1h\r\nx", .refuses(400, "chunk_size_invalid")),
        .chunked("size 1_0", "1_0\r\nx", .refuses(400, "chunk_size_invalid")),
        .chunked("size of obs-text", "\u{B2}\r\nx", .refuses(400, "chunk_size_invalid")),
        .chunked("LF first", "\n", .refuses(400, "chunk_line_end_invalid")),
        .chunked("size and LF", "1\nx\r\n0\r\n\r\n", .refuses(400, "chunk_line_end_invalid")),
        .chunked("size and CR X", "1\rXx", .refuses(400, "chunk_line_end_invalid")),
        .chunked("LF behind data", "1\r\nx\n0\r\n\r\n", .refuses(400, "chunk_data_end_invalid")),
        .chunked("CR X behind data", "1\r\nx\rX", .refuses(400, "chunk_data_end_invalid")),
        .chunked("negative zero", "-0\r\n\r\n", .refuses(400, "chunk_size_invalid")),
        .chunked(
            "size that wraps 64 bits", "10000000000000001\r\nx", .refuses(413, "body_too_large")),
        .chunked("size just too large", "100001\r\n", .refuses(413, "body_too_large")),
        .chunked("sum just too large", "1\r\nx\r\n100000\r\n", .refuses(413, "body_too_large")),
        .chunked("size at the limit", "100000\r\n", .waits()),
        .chunked("last chunk without its CRLF", "0\r\n\r", .waits()),
        .chunked(
            "pipelined", "1\r\nx\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            .echoes(["x", ""])),
        .chunked(
            "trailers, and then another",
            "0\r\nX: y\r\nZ:\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .echoes(["", ""])),
        .chunked(
            "authorization as a trailer", "0\r\nAuthorization: x\r\n\r\n",
            .refuses(400, "trailer_forbidden")),
        .chunked(
            "content-type as a trailer", "0\r\ncontent-TYPE: x\r\n\r\n",
            .refuses(400, "trailer_forbidden")),
        .chunked(
            "a second trailer that frames", "0\r\nA: b\r\nContent-Length: 5\r\n\r\n",
            .refuses(400, "trailer_forbidden")),
        .chunked("NUL in a trailer", "0\r\nA: \0\r\n\r\n", .refuses(400, "field_value_invalid")),
        .chunked(
            "a request instead of a trailer", "0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            .refuses(400, "field_name_whitespace")),
        .chunked(
            "white space first in a trailer", "0\r\n A: b\r\n\r\n",
            .refuses(400, "head_whitespace_before_first_field")),
        .chunked("a lone CR ends the trailer", "0\r\n\rX", .refuses(400, "head_bare_cr")),
    ]
}
