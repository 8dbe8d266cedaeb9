/* Debian's musl has no crypt, which nginx links for passwords. The benchmark has none. */
#include "crypt.h"
#include <errno.h>

char *crypt(const char *key, const char *salt) {
    (void)key, (void)salt;
    errno = ENOSYS;
    return 0;
}
char *crypt_r(const char *key, const char *salt, struct crypt_data *data) {
    (void)data;
    return crypt(key, salt);
}
