/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The native helper: prefetches cache lines, maps memory on 2 MiB pages, advises the kernel. No data structure logic.
 *
 * The nestling_* functions are called through the foreign-function interface, the Java_* functions through JNI. Both
 * take primitives, the latter also a buffer where they are about one. The prefetch instruction is volatile assembly on
 * purpose: a function that only calls __builtin_prefetch counts as free of effects, and gcc 12 deletes the calls.
 *
 * Large pages are for Linux, where the kernel gives them as memory is touched. Those of macOS (x86-64 only) and Windows (with a
 * privilege) are taken at once and for good. Advice is Linux's; elsewhere all but RELEASE is refused with ENOTSUP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jni.h>
#include <stdint.h>
#if defined(_WIN32)
#include <windows.h>
#define NESTLING_EXPORT __declspec(dllexport)
#else
#include <sys/mman.h>
#define NESTLING_EXPORT __attribute__((visibility("default")))
#endif

/* As NativeLibrary.VERSION: to be raised with each change of a function. */
#define NESTLING_VERSION 2
/* As MemoryAdvice.RELEASE. */
#define ADVICE_RELEASE 4
#define HUGE_PAGE_BYTES (INT64_C(2) << 20)
#define MAP_ATTEMPTS 16

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static inline __attribute__((always_inline)) void PrefetchLine(int64_t address) {
#if defined(__x86_64__)
  __asm__ volatile("prefetcht0 (%0)" : : "r"(address));
#elif defined(__aarch64__)
  __asm__ volatile("prfm pldl1keep, [%0]" : : "r"(address));
#else
  __builtin_prefetch((const void*)(intptr_t)address);
  __asm__ volatile("" : : "r"(address));
#endif
}

NESTLING_EXPORT void nestling_prefetch(int64_t address) { PrefetchLine(address); }

NESTLING_EXPORT void nestling_prefetch_vector(int64_t vector, int32_t count) {
  const int64_t* addresses = (const int64_t*)(intptr_t)vector;
  for (int32_t i = 0; i < count; i++) {
    PrefetchLine(addresses[i]);
  }
}

#if defined(_WIN32)

/* 0, or the error of the system. Memory that is committed anew reads as zeroes. */
NESTLING_EXPORT int32_t nestling_advise(int64_t address, int64_t bytes, int32_t advice) {
  void* start = (void*)(intptr_t)address;
  if (advice != ADVICE_RELEASE) {
    return ENOTSUP;
  }
  if (VirtualFree(start, (SIZE_T)bytes, MEM_DECOMMIT) && VirtualAlloc(start, (SIZE_T)bytes, MEM_COMMIT, PAGE_READWRITE)) {
    return 0;
  }
  return (int32_t)GetLastError();
}

/*
 * Address of a region that starts on a 2 MiB boundary, or a negative error. The region counts against the limit of memory
 * and page file together, but takes pages as they are touched. It cannot be trimmed: a larger one shows a place, which
 * another thread may take before it is mapped.
 */
NESTLING_EXPORT int64_t nestling_map(int64_t bytes) {
  if (bytes <= 0 || bytes > INT64_MAX - HUGE_PAGE_BYTES) {
    return -EINVAL;
  }
  for (int attempt = 0; attempt < MAP_ATTEMPTS; attempt++) {
    void* start = VirtualAlloc(NULL, (SIZE_T)(bytes + HUGE_PAGE_BYTES), MEM_RESERVE, PAGE_NOACCESS);
    if (start == NULL) {
      return -(int64_t)GetLastError();
    }
    VirtualFree(start, 0, MEM_RELEASE);
    const int64_t aligned = ((int64_t)(intptr_t)start + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
    if (VirtualAlloc((void*)(intptr_t)aligned, (SIZE_T)bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) != NULL) {
      return aligned;
    }
    if (GetLastError() != ERROR_INVALID_ADDRESS) {
      return -(int64_t)GetLastError();
    }
  }
  return -ERROR_INVALID_ADDRESS;
}

/* 0, or the error of the system. */
NESTLING_EXPORT int32_t nestling_unmap(int64_t address, int64_t bytes) {
  (void)bytes;
  return VirtualFree((void*)(intptr_t)address, 0, MEM_RELEASE) ? 0 : (int32_t)GetLastError();
}

#else

/* 0, or the errno. */
NESTLING_EXPORT int32_t nestling_advise(int64_t address, int64_t bytes, int32_t advice) {
#if defined(__linux__)
  return madvise((void*)(intptr_t)address, (size_t)bytes, advice) == 0 ? 0 : errno;
#else
  /* The system's own advice does not promise zeroes. */
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (advice != ADVICE_RELEASE) {
    return ENOTSUP;
  }
  return mmap((void*)(intptr_t)address, (size_t)bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED ? errno : 0;
#endif
}

/* Address of a region that starts on a 2 MiB boundary, or a negative errno. */
NESTLING_EXPORT int64_t nestling_map(int64_t bytes) {
  if (bytes <= 0 || bytes > INT64_MAX - HUGE_PAGE_BYTES) {
    return -EINVAL;
  }
  const int64_t reserved = bytes + HUGE_PAGE_BYTES;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* start = mmap(NULL, (size_t)reserved, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (start == MAP_FAILED) {
    return -errno;
  }
  const int64_t begin = (int64_t)(intptr_t)start;
  const int64_t aligned = (begin + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
  const int64_t before = aligned - begin;
  const int64_t behind = reserved - before - bytes;
  /* A trim that fails wastes address space only: the slack is never touched. */
  if (before > 0) {
    munmap(start, (size_t)before);
  }
  if (behind > 0) {
    munmap((void*)(intptr_t)(aligned + bytes), (size_t)behind);
  }
#if defined(MADV_HUGEPAGE)
  /* A kernel without huge pages refuses: the region then works on small ones. */
  (void)madvise((void*)(intptr_t)aligned, (size_t)bytes, MADV_HUGEPAGE);
#endif
  return aligned;
}

/* 0, or the errno. */
NESTLING_EXPORT int32_t nestling_unmap(int64_t address, int64_t bytes) {
  return munmap((void*)(intptr_t)address, (size_t)bytes) == 0 ? 0 : errno;
}

#endif

NESTLING_EXPORT int32_t nestling_version(void) { return NESTLING_VERSION; }

JNIEXPORT jint JNICALL Java_io_nestling_bridge_JniBridge_version(JNIEnv* env, jclass type) {
  (void)env;
  (void)type;
  return nestling_version();
}

JNIEXPORT void JNICALL Java_io_nestling_bridge_JniBridge_line(JNIEnv* env, jclass type, jlong address) {
  (void)env;
  (void)type;
  nestling_prefetch(address);
}

JNIEXPORT void JNICALL Java_io_nestling_bridge_JniBridge_vector(JNIEnv* env, jclass type, jlong vector, jint count) {
  (void)env;
  (void)type;
  nestling_prefetch_vector(vector, count);
}

JNIEXPORT jlong JNICALL Java_io_nestling_bridge_JniBridge_mapRegion(JNIEnv* env, jclass type, jlong bytes) {
  (void)env;
  (void)type;
  return nestling_map(bytes);
}

JNIEXPORT jint JNICALL Java_io_nestling_bridge_JniBridge_unmapRegion(JNIEnv* env, jclass type, jlong address,
                                                                     jlong bytes) {
  (void)env;
  (void)type;
  return nestling_unmap(address, bytes);
}

JNIEXPORT jint JNICALL Java_io_nestling_bridge_JniBridge_adviseRange(JNIEnv* env, jclass type, jlong address,
                                                                     jlong bytes, jint advice) {
  (void)env;
  (void)type;
  return nestling_advise(address, bytes, advice);
}

JNIEXPORT jobject JNICALL Java_io_nestling_bridge_JniBridge_view(JNIEnv* env, jclass type, jlong address, jint bytes) {
  (void)type;
  return (*env)->NewDirectByteBuffer(env, (void*)(intptr_t)address, bytes);
}

JNIEXPORT jlong JNICALL Java_io_nestling_bridge_JniBridge_addressOf(JNIEnv* env, jclass type, jobject buffer) {
  (void)type;
  return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}
