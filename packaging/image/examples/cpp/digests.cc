// Prints the SHA-256 of every argument, each made on a thread of its own.
#include <array>
#include <cstdio>
#include <future>
#include <iostream>
#include <openssl/evp.h>
#include <stdexcept>
#include <string>
#include <vector>

static std::string digest(const std::string &text) {
    if (text.empty()) throw std::invalid_argument("an argument is empty");
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned length = 0;
    if (!EVP_Digest(text.data(), text.size(), bytes.data(), &length, EVP_sha256(), nullptr))
        throw std::runtime_error("OpenSSL has no SHA-256");
    std::string hex;
    for (unsigned n = 0; n < length; n++) {
        char pair[3];
        std::snprintf(pair, sizeof pair, "%02x", bytes[n]);
        hex += pair;
    }
    return hex;
}

int main(int count, char **words) {
    try {
        std::vector<std::future<std::string>> digests;
        for (int n = 1; n < count; n++) digests.push_back(std::async(std::launch::async, digest, std::string(words[n])));
        for (int n = 1; n < count; n++) std::cout << digests[n - 1].get() << "  " << words[n] << '\n';
        return std::cout.flush() ? 0 : 1;
    } catch (const std::exception &error) {
        std::cerr << "digests: " << error.what() << '\n';
        return 1;
    }
}
