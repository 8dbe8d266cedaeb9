/* Debian's musl has no crypt.h, which nginx includes on Linux. */
#include <unistd.h>
struct crypt_data {
    int initialized;
};
char *crypt_r(const char *key, const char *salt, struct crypt_data *data);
