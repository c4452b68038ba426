import Testing

@testable import PostgreSQL

@Suite struct ConnectionStringTests {
    @Test(arguments: [
        "host=db1,db2 port=5432,5433 user=shop password='two words' dbname=pay",
        "postgresql://shop:two%20words@db1:5432,db2:5433/pay?sslmode=require",
    ])
    func `its description names everything but the password`(text: String) throws {
        let string = try ConnectionString(text)
        #expect(string.description == "shop@db1:5432,db2:5433/pay")
        #expect(string.secrets == ["two words"])
        #expect("\(string)".contains("words") == false)
    }

    @Test func `a service stands for what it names`() throws {
        #expect(try ConnectionString("service=payments").description == "service payments")
    }

    @Test func `an unknown option is told apart`() {
        #expect(throws: ConnectionString.Mistake.unknownOption("pasword")) {
            try ConnectionString("host=a pasword=x")
        }
        #expect(throws: ConnectionString.Mistake.unknownOption("ssl_mode")) {
            try ConnectionString("postgresql://a/b?ssl_mode=require")
        }
    }

    @Test(arguments: [
        "host", "password=my secret", "postgresql://[a", "host=a\u{0}b", "password='open",
    ])
    func `anything else is no connection string`(text: String) {
        #expect(throws: ConnectionString.Mistake.form) { try ConnectionString(text) }
    }

    @Test func `hosts addresses and ports are lists`() {
        let list = HostList(["host": "a,b,", "port": "1,,3"])
        #expect(list.hosts.map(\.description) == ["a:1", "b", "the local socket:3"])
        #expect(HostList(["hostaddr": "::1", "port": "7"]).hosts.map(\.description) == ["[::1]:7"])
        #expect(HostList([:]).hosts.count == 1)
        #expect(HostList(["host": "a,b", "port": "9"]).hosts.map(\.port) == ["9", "9"])
    }

    @Test func `the longest secret is taken out first`() {
        let redact = Redaction(secrets: ["abc", "abcdef"])
        #expect(redact("x abcdef y abc") == "x … y …")
    }
}
