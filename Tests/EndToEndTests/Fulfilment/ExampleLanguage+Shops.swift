/// The languages of the examples. Their shops are in Tests/Examples/shops.
extension ExampleLanguage {
    static let all = [
        ExampleLanguage(
            name: "sh", program: "sh", file: "consumer.sh", decide: ("decide.jq", "jq"),
            shop: "shop.sh"),
        ExampleLanguage(
            name: "python", program: "python3", file: "consumer.py",
            decide: ("decide.py", "python"),
            shop: "shop.py"),
        ExampleLanguage(
            name: "js", program: "node", file: "consumer.mjs", decide: ("decide.js", "js"),
            shop: "shop.js"),
        ExampleLanguage(
            name: "php", program: "php", file: "consumer.php", decide: ("decide.php", "php"),
            shop: "shop.php"),
        ExampleLanguage(
            name: "swift", program: "swiftc", file: "main.swift", decide: ("decide.swift", "swift"),
            shop: "shop.swift"),
    ]
}
