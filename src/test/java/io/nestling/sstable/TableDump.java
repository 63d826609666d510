/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Writes a table file as text: bytes in hexadecimal, and behind {@code #} what they are. It knows the format
 * from its description and uses no code of the reader; payloads that are compressed are not taken apart.
 */
final class TableDump {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final int WIDTH = 32;
    private static final String[] TYPES =
        {"", "DATA", "VALUE", "INDEX", "RANGE_TOMBSTONES", "FILTER", "DIRECTORY", "PROPERTIES"};

    private final ByteBuffer file;
    private final StringBuilder text = new StringBuilder();

    private TableDump(final byte[] content) {
        file = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    }

    static String dump(final byte[] content) {
        final TableDump dump = new TableDump(content);
        for (int number = 0; dump.file.remaining() > 28; number++) {
            dump.block(number);
        }
        dump.footer();
        return dump.text.toString();
    }

    /** The bytes of a dump. */
    static byte[] parse(final String dump) {
        final StringBuilder digits = new StringBuilder();
        for (final String line : dump.lines().toList()) {
            final int comment = line.indexOf('#');
            digits.append((comment < 0 ? line : line.substring(0, comment)).replace(" ", ""));
        }
        return HEX.parseHex(digits);
    }

    private void block(final int number) {
        final int start = file.position();
        final int type = file.get(start);
        final int compression = file.get(start + 1);
        text.append("\n# block ").append(number).append(" at offset ").append(start).append('\n');
        line(1, "type " + TYPES[type]);
        line(1, "compression " + (compression == 0 ? "NONE" : "LZ4"));
        line(4, "raw length " + file.getInt(start + 2));
        line(4, "stored length " + file.getInt(start + 6));
        line(4, "CRC32C");
        final int end = start + 14 + file.getInt(start + 6);
        if (compression != 0 || type == 2 || type == 5) {
            line(end - file.position(), compression != 0 ? "LZ4 data" : "bytes");
        } else if (type == 6) {
            directory();
        } else if (type == 7) {
            properties();
        } else {
            entries(type, end);
        }
        if (file.position() != end) {
            throw new IllegalStateException("block " + number + " ends at " + end + ", not "
                + file.position());
        }
    }

    private void entries(final int type, final int end) {
        final int restarts = file.getInt(end - 4);
        final int entriesEnd = end - 4 - 4 * restarts;
        final int start = file.position();
        while (file.position() < entriesEnd) {
            text.append("# entry at ").append(file.position() - start).append('\n');
            varint("shared ");
            final int unshared = (int) varint("unshared ");
            final long tag = peek();
            final int form = (int) (tag & 3);
            varint("tag: sequence " + (tag >>> 2) + ", "
                + new String[] {"TOMBSTONE", "VALUE", type == 1 ? "LATER_FORM" : "RANGE_TOMBSTONE", "VALUE_APART"}[form] + ": ");
            final int valueLength = form == 0 ? 0 : (int) varint("value length ");
            line(unshared, "key tail" + quoted(unshared));
            int valueForm = form;
            if (form == 2 && type == 1) {
                valueForm = file.get(file.position());
                line(1, "form " + new String[] {"EXPIRING", "EXPIRING_APART", "OPERAND", "OPERAND_APART"}[valueForm - 4]);
                if (valueForm < 6) {
                    varint("expiry ");
                }
            }
            if (valueForm == 3 || valueForm == 5 || valueForm == 7) {
                varint("offset of the first chunk ");
                varint("length of the chunks ");
            } else if (type == 3) {
                varint("offset of the data block ");
                varint("length of the data block ");
            } else if (form != 0) {
                line(valueLength, (valueForm == 2 ? "end of the range" : "value") + quoted(valueLength));
            }
        }
        for (int i = 0; i < restarts; i++) {
            line(4, "restart point " + file.getInt(file.position()));
        }
        line(4, "restart count " + restarts);
    }

    private void directory() {
        for (final String what : List.of("index blocks", "range tombstone blocks")) {
            final int count = file.getInt(file.position());
            line(4, what + ": " + count);
            for (int i = 0; i < count; i++) {
                line(8, "offset " + file.getLong(file.position()));
                line(4, "length " + file.getInt(file.position()));
            }
        }
    }

    private void properties() {
        final long count = varint("number of properties ");
        for (long i = 0; i < count; i++) {
            final int nameLength = (int) varint("name length ");
            final String name = quoted(nameLength).strip();
            line(nameLength, "name " + name);
            final int valueLength = (int) varint("value length ");
            line(valueLength, "value of " + name);
        }
    }

    private void footer() {
        text.append("\n# footer at offset ").append(file.position()).append('\n');
        line(8, "offset of the properties " + file.getLong(file.position()));
        line(4, "length of the properties " + file.getInt(file.position()));
        line(4, "CRC32C");
        line(4, "version " + file.getInt(file.position()));
        line(8, "magic" + quoted(8));
    }

    private String quoted(final int length) {
        final String content = new String(file.array(), file.position(), length, StandardCharsets.ISO_8859_1);
        return length > 0 && content.chars().allMatch(c -> c > ' ' && c < 0x7F && c != '#') ? " '" + content
            + "'" : "";
    }

    private long peek() {
        final int position = file.position();
        final long value = readVarint();
        file.position(position);
        return value;
    }

    private long varint(final String what) {
        final int position = file.position();
        final long value = readVarint();
        final int length = file.position() - position;
        file.position(position);
        line(length, what + value);
        return value;
    }

    private long readVarint() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            final byte next = file.get();
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    /** Writes the next bytes, the comment beside the first of them. */
    private void line(final int length, final String comment) {
        final byte[] bytes = new byte[length];
        file.get(bytes);
        final List<String> lines = new ArrayList<>();
        for (int i = 0; i < length || i == 0; i += WIDTH) {
            lines.add(HEX.formatHex(bytes, i, Math.min(length, i + WIDTH)));
        }
        text.append(String.format(Locale.ROOT, "%-24s # %s%n", lines.get(0), comment).replace("\r", ""));
        lines.stream().skip(1).forEach(line -> text.append(line).append('\n'));
    }
}
