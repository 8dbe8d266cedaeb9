// Profile `fast`: time first, at a memory cost near musl's.  Every value is that of payload/heap/tuning.h.
