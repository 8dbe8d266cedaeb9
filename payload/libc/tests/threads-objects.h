// Included by threads.c: dl_iterate_phdr, held against musl's, by several threads.
#pragma once
#include <link.h>

int brawn_dl_iterate_phdr(int (*each)(struct dl_phdr_info *info, size_t size, void *data), void *data);

static _Thread_local int in_tls = 7;

static int kept(struct dl_phdr_info *info, size_t size, void *data) {
    memset(data, 0, sizeof *info);
    *(struct dl_phdr_info *)data = *info;
    return (int)size;
}

static void *same_objects(void *unused) {
    struct dl_phdr_info musls, ours;
    in_tls++;
    for (int i = 0; i < 3; i++) {
        const int musls_result = dl_iterate_phdr(kept, &musls), result = brawn_dl_iterate_phdr(kept, &ours);
        if (result != musls_result || result != sizeof ours) {
            printf("threads: dl_iterate_phdr gives %d, and musl's %d\n", result, musls_result);
            exit(1);
        }
        if (ours.dlpi_addr != musls.dlpi_addr || strcmp(ours.dlpi_name, musls.dlpi_name) || ours.dlpi_phdr != musls.dlpi_phdr ||
            ours.dlpi_phnum != musls.dlpi_phnum || ours.dlpi_adds != musls.dlpi_adds || ours.dlpi_subs != musls.dlpi_subs ||
            ours.dlpi_tls_modid != musls.dlpi_tls_modid || ours.dlpi_tls_data != musls.dlpi_tls_data) {
            printf("threads: dl_iterate_phdr says %#lx, %p, %d, %zu, %p, and musl's %#lx, %p, %d, %zu, %p\n",
                (long)ours.dlpi_addr, (void *)ours.dlpi_phdr, ours.dlpi_phnum, ours.dlpi_tls_modid, ours.dlpi_tls_data,
                (long)musls.dlpi_addr, (void *)musls.dlpi_phdr, musls.dlpi_phnum, musls.dlpi_tls_modid, musls.dlpi_tls_data);
            exit(1);
        }
    }
    return unused;
}

static void objects(void) {
    pthread_t all[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&all[i], NULL, same_objects, NULL)) exit(1);
    same_objects(NULL);
    for (int i = 0; i < 4; i++) pthread_join(all[i], NULL);
}
