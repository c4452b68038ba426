extension Recipe {
    package var descriptor: ProviderDescriptor { .hmac }
}
