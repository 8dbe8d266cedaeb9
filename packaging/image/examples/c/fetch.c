/* Gets https://HOST:PORT/ and prints the answer: fetch HOST PORT.  The certificate must be HOST's, and signed by
 * one of SSL_CERT_FILE. */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>

static int failed(const char *what) {
    fprintf(stderr, "fetch: %s\n", what);
    ERR_print_errors_fp(stderr);
    return 1;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: fetch HOST PORT\n");
        return 2;
    }
    const char *host = words[1];

    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context || !SSL_CTX_set_default_verify_paths(context)) return failed("no TLS");
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    BIO *connection = BIO_new_ssl_connect(context);
    if (!connection) return failed("no TLS");

    SSL *tls = NULL;
    BIO_get_ssl(connection, &tls);
    BIO_set_conn_hostname(connection, host);
    BIO_set_conn_port(connection, words[2]);
    if (!SSL_set_tlsext_host_name(tls, host) || !SSL_set1_host(tls, host)) return failed(host);
    if (BIO_do_connect(connection) != 1 || BIO_do_handshake(connection) != 1) return failed(host);

    BIO_printf(connection, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host);
    if (BIO_flush(connection) != 1) return failed("cannot send");
    char bytes[4096];
    int length;
    while ((length = BIO_read(connection, bytes, sizeof bytes)) > 0)
        if (fwrite(bytes, 1, (size_t)length, stdout) != (size_t)length) return failed("cannot print");
    if (SSL_get_shutdown(tls) != SSL_RECEIVED_SHUTDOWN) return failed("the answer ends early");
    BIO_free_all(connection);
    SSL_CTX_free(context);
    return fflush(stdout) ? failed("cannot print") : 0;
}
