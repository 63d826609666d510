/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Byte-comparable keys: encodes typed values as byte strings and decodes them. For values x and y of a type,
 * <ol>
 * <li>the unsigned lexicographic order of their encodings is the order of x and y,</li>
 * <li>the encoding of x is not a prefix of the encoding of another value y, and</li>
 * <li>decoding gives x again; bytes that no value encodes to are rejected.</li>
 * </ol>
 * So encodings can be concatenated, and the tuple sorts by its first component, then by its
 * second, and so on.
 * <table>
 * <caption>Encodings (bytes in hexadecimal)</caption>
 * <tr><th>type</th><th>bytes</th><th>encoding</th></tr>
 * <tr><td>uint8, uint16, uint32, uint64</td><td>1, 2, 4, 8</td><td>big endian</td></tr>
 * <tr><td>int8, int16, int32, int64</td><td>1, 2, 4, 8</td><td>big endian, sign bit inverted</td></tr>
 * <tr><td>float32, float64</td><td>4, 8</td><td>IEEE 754, big endian; sign bit inverted; of negative numbers
 * all other bits too; one NaN, last</td></tr>
 * <tr><td>boolean</td><td>1</td><td>00 false, 01 true</td></tr>
 * <tr><td>string</td><td>2 and more</td><td>UTF-8, 00 written as 00 01, then 00 00; order of code
 * points</td></tr>
 * <tr><td>bytes</td><td>2 and more</td><td>00 written as 00 01, then 00 00</td></tr>
 * <tr><td>uuid</td><td>16</td><td>its bytes; unsigned order, as in text</td></tr>
 * <tr><td>instant</td><td>12</td><td>seconds as int64, nanoseconds as uint32</td></tr>
 * <tr><td>bigInteger</td><td>1 and more</td><td>80 zero; 80 + n, then n bytes of magnitude (n up to 125); FE,
 * n as two bytes, then the magnitude; negative: all of it inverted</td></tr>
 * <tr><td>bigDecimal</td><td>2 and more</td><td>81, exponent as bigInteger, pairs of digits as 01 to 64, 00,
 * the three inverted when negative; 80 for zero; then the scale as bigInteger</td></tr>
 * <tr><td>nulls first</td><td>1 +</td><td>00 null; 01, then the value</td></tr>
 * <tr><td>nulls last</td><td>1 +</td><td>01, then the value; 02 null</td></tr>
 * <tr><td>descending</td><td>same</td><td>every bit inverted</td></tr>
 * </table>
 * A key has at most 65,535 bytes. The encodings are a file format: they do not change.
 * <p>
 * Two properties, comparison equivalence and prefix-freedom, and the encodings of fixed-length numbers and
 * byte strings are those of B. Lambov, Trie Memtables in Cassandra, PVLDB 15(12), 2022, section 2.
 */
package io.nestling.key;
