/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads the native helper without a JVM, and calls what needs the C library: .ci/check-musl.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#define REGION_BYTES (INT64_C(4) << 20)
#define HUGE_PAGE_BYTES (INT64_C(2) << 20)
/* As MemoryAdvice.RELEASE. */
#define ADVICE_RELEASE 4
#define WRITTEN 5000

static int Fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) {
    return Fail(argc == 2 ? dlerror() : "usage: load LIBRARY");
  }
  int32_t (*version)(void) = dlsym(library, "nestling_version");
  int64_t (*map)(int64_t) = dlsym(library, "nestling_map");
  int32_t (*unmap)(int64_t, int64_t) = dlsym(library, "nestling_unmap");
  int32_t (*advise)(int64_t, int64_t, int32_t) = dlsym(library, "nestling_advise");
  void (*prefetch)(int64_t) = dlsym(library, "nestling_prefetch");
  if (version == NULL || map == NULL || unmap == NULL || advise == NULL || prefetch == NULL) {
    return Fail(dlerror());
  }
  if (version() < 1) {
    return Fail("no version");
  }
  if (map(-1) >= 0 || map(INT64_C(1) << 60) >= 0) {
    return Fail("mapped what nobody has");
  }
  const int64_t address = map(REGION_BYTES);
  if (address <= 0 || address % HUGE_PAGE_BYTES != 0) {
    return Fail("not mapped on a boundary of 2 MiB");
  }
  volatile char* bytes = (volatile char*)(intptr_t)address;
  prefetch(address);
  prefetch(0);
  bytes[WRITTEN] = 7;
  if (bytes[WRITTEN] != 7 || bytes[WRITTEN + 1] != 0) {
    return Fail("does not keep what is written");
  }
  if (advise(address, REGION_BYTES, ADVICE_RELEASE) != 0 || bytes[WRITTEN] != 0) {
    return Fail("not released");
  }
  if (unmap(address, REGION_BYTES) != 0 || unmap(address + 1, REGION_BYTES) == 0) {
    return Fail("not unmapped");
  }
  return 0;
}
