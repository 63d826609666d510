/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The types that jni.h of a JDK for another system asks for, as Windows x86-64 has them.
 */
#ifndef NESTLING_WINDOWS_JNI_MD_H
#define NESTLING_WINDOWS_JNI_MD_H

#define JNIEXPORT __declspec(dllexport)
#define JNIIMPORT __declspec(dllimport)
#define JNICALL

typedef signed char jbyte;
typedef int jint;
typedef long long jlong;

#endif
