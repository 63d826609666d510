/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.bridge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;

/** The names that a library of 64 bits exports: ELF, Mach-O or PE. */
final class ExportedNames {
    private static final int ELF = 0x464C457F;
    private static final int MACH_O = 0xFEEDFACF;

    private final ByteBuffer file;
    private final Set<String> names = new TreeSet<>();

    private ExportedNames(final byte[] library) {
        this.file = ByteBuffer.wrap(library).order(ByteOrder.LITTLE_ENDIAN);
    }

    static Set<String> of(final byte[] library) {
        final ExportedNames exported = new ExportedNames(library);
        switch (exported.file.getInt(0)) {
            case ELF:
                exported.readElf();
                break;
            case MACH_O:
                exported.readMachO();
                break;
            default:
                exported.readPe();
                break;
        }
        return exported.names;
    }

    private void readElf() {
        final int headers = (int) file.getLong(40);
        final int headerBytes = file.getShort(58);
        for (int i = 0; i < file.getShort(60); i++) {
            final int header = headers + i * headerBytes;
            if (file.getInt(header + 4) == 11) { // the dynamic symbols
                final int texts = (int) file.getLong(headers + file.getInt(header + 40) * headerBytes + 24);
                final int start = (int) file.getLong(header + 24);
                for (int symbol = start; symbol < start + file.getLong(header + 32); symbol += 24) {
                    if (file.get(symbol + 4) == 0x12 && file.getShort(symbol + 6) != 0) { // a global function with a section
                        names.add(text(texts + file.getInt(symbol)));
                    }
                }
            }
        }
    }

    private void readMachO() {
        int command = 32;
        for (int i = 0; i < file.getInt(16); i++) {
            if (file.getInt(command) == 2) { // the symbol table
                final int symbols = file.getInt(command + 8);
                final int texts = file.getInt(command + 16);
                for (int n = 0; n < file.getInt(command + 12); n++) {
                    final int symbol = symbols + n * 16;
                    if ((file.get(symbol + 4) & 0xFF) == 0x0F) { // external, in a section
                        final String name = text(texts + file.getInt(symbol)).substring(1);
                        if (!name.startsWith("_")) { // the linker's own
                            names.add(name);
                        }
                    }
                }
            }
            command += file.getInt(command + 4);
        }
    }

    private void readPe() {
        final int header = file.getInt(60);
        final int exports = offset(header, file.getInt(header + 24 + 112));
        final int list = offset(header, file.getInt(exports + 32));
        for (int i = 0; i < file.getInt(exports + 24); i++) {
            names.add(text(offset(header, file.getInt(list + 4 * i))));
        }
    }

    /** Returns the offset in the file of what lies at an address. */
    private int offset(final int header, final int address) {
        final int sections = header + 24 + file.getShort(header + 20);
        for (int i = 0; i < file.getShort(header + 6); i++) {
            final int section = sections + 40 * i;
            final int start = file.getInt(section + 12);
            if (address >= start && address < start + file.getInt(section + 16)) {
                return file.getInt(section + 20) + address - start;
            }
        }
        throw new AssertionError("no section has the address " + address);
    }

    private String text(final int start) {
        int end = start;
        while (file.get(end) != 0) {
            end++;
        }
        return new String(file.array(), start, end - start, StandardCharsets.US_ASCII);
    }
}
