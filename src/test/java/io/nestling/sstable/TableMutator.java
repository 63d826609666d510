/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.sstable;

import io.nestling.sstable.TableImage.Block;
import io.nestling.sstable.TableImage.Entry;
import io.nestling.sstable.TableImage.Handle;
import io.nestling.sstable.TableImage.Property;
import io.nestling.testing.ByteMutations;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Changes tables in the terms of their format: blocks, entries, restart points, handles, properties, footer. */
final class TableMutator {
    private static final int MOST_BLOCKS = 200;
    private static final int MOST_ENTRIES = 2000;

    private final TableImage image;
    private final TableImage other;
    private final byte[] otherBytes;
    private final Random random;

    private TableMutator(final TableImage image, final byte[] other, final Random random) {
        this.image = image;
        final TableImage taken = TableImage.of(other);
        this.other = taken == null || taken.blocks.isEmpty() ? image : taken;
        this.otherBytes = other;
        this.random = random;
    }

    /** Changes a table in one to three ways; checksums are right afterwards. */
    static byte[] mutate(final byte[] input, final byte[] other, final Random random) {
        final TableImage image = TableImage.of(input);
        if (image == null || image.blocks.isEmpty()) {
            return random.nextInt(4) == 0 ? ByteMutations.change(input, other, random) : mutated(other, input, random);
        }
        final TableMutator mutator = new TableMutator(image, other, random);
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            mutator.mutate();
        }
        if (random.nextInt(3) == 0) {
            image.blocks.stream().filter(block -> block.entries != null).forEach(TableImage::frontCode);
        }
        image.countsFixed = random.nextInt(4) != 0;
        return image.toBytes();
    }

    private static byte[] mutated(final byte[] input, final byte[] other, final Random random) {
        return TableImage.of(input) == null ? ByteMutations.change(input, other, random) : mutate(input, other, random);
    }

    private void mutate() {
        switch (random.nextInt(12)) {
            case 0:
                mutateBlocks();
                break;
            case 1:
                mutateHeader(block());
                break;
            case 2:
                mutateDirectory();
                break;
            case 3:
            case 4:
                mutateProperties();
                break;
            case 5:
                if (random.nextInt(4) == 0) {
                    mutateHandle(image.footer);
                } else {
                    mutateRaw(block());
                }
                break;
            default:
                mutateEntries();
                break;
        }
    }

    private Block block() {
        return image.blocks.get(random.nextInt(image.blocks.size()));
    }

    private Block blockWithEntries() {
        final List<Block> found = image.blocks.stream()
            .filter(block -> block.entries != null && !block.entries.isEmpty()).collect(Collectors.toList());
        return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
    }

    private void mutateBlocks() {
        final int at = random.nextInt(image.blocks.size());
        switch (random.nextInt(4)) {
            case 0:
                if (image.blocks.size() > 1) {
                    image.blocks.remove(at);
                }
                break;
            case 1:
                image.blocks.set(at, image.blocks.set(random.nextInt(image.blocks.size()), image.blocks.get(at)));
                break;
            default:
                if (image.blocks.size() < MOST_BLOCKS) {
                    final List<Block> source = random.nextBoolean() ? image.blocks : other.blocks;
                    image.blocks.add(at, copy(source.get(random.nextInt(source.size()))));
                    if (random.nextBoolean()) {
                        shiftHandles(at);
                    }
                }
                break;
        }
    }

    /** Makes handles of blocks behind a new one right again. */
    private void shiftHandles(final int at) {
        image.footer.first += image.footer.first >= at ? 1 : 0;
        for (final Block block : image.blocks) {
            if (block.entries != null) {
                block.entries.stream().filter(entry -> entry.handle != null)
                    .forEach(entry -> entry.handle.first += entry.handle.first >= at ? 1 : 0);
            }
            if (block.lists != null) {
                block.lists.forEach(list -> list.forEach(handle -> handle.first += handle.first >= at ? 1 : 0));
            }
            if (block.properties != null) {
                block.properties.stream().filter(property -> property.handle != null)
                    .forEach(property -> property.handle.first += property.handle.first >= at ? 1 : 0);
            }
        }
    }

    private static Block copy(final Block block) {
        final Block copy = new Block();
        copy.type = block.type;
        copy.lz4 = block.lz4;
        copy.raw = block.raw;
        copy.restarts.addAll(block.restarts);
        if (block.entries != null) {
            copy.entries = block.entries.stream().map(Entry::copy).collect(Collectors.toList());
        }
        if (block.lists != null) {
            copy.lists = block.lists.stream()
                .map(list -> list.stream().map(Handle::copy).collect(Collectors.toList())).collect(Collectors.toList());
        }
        copy.properties = block.properties;
        return copy;
    }

    private void mutateHeader(final Block block) {
        switch (random.nextInt(7)) {
            case 0:
                block.type = random.nextInt(9);
                break;
            case 1:
                block.lz4 = !block.lz4;
                break;
            case 2:
                block.rawLengthMore = (int) ByteMutations.changed(0, random);
                break;
            case 3:
                block.storedLengthMore = (int) ByteMutations.changed(0, random);
                break;
            case 4:
                block.lz4 = true;
                block.changes = random.ints(2L + 2 * random.nextInt(3), 0, Integer.MAX_VALUE).toArray();
                break;
            case 5:
                // As much as a block may hold, and little of it in the file.
                block.lz4 = true;
                block.entries = null;
                block.lists = null;
                block.properties = null;
                block.raw = Arrays.copyOf(block.raw, random.nextInt(16) == 0 ? TableBlockLayout.MAX_RAW_BYTES
                    : 1 << random.nextInt(16));
                break;
            default:
                if (block.entries != null && block.entries.size() > 0 && block.entries.size() < MOST_ENTRIES) {
                    repeatEntry(block, random.nextInt(block.entries.size()));
                }
                break;
        }
    }

    private void repeatEntry(final Block block, final int at) {
        final Entry entry = block.entries.get(at);
        for (int more = 1 << random.nextInt(11); more > 0; more--) {
            final Entry copy = entry.copy();
            copy.shared = entry.shared + entry.tail.length;
            copy.tail = random.nextBoolean() ? new byte[0] : new byte[] {(byte) random.nextInt()};
            copy.unshared = copy.tail.length;
            block.entries.add(at + 1, copy);
        }
        block.lz4 |= random.nextBoolean();
    }

    private void mutateRaw(final Block block) {
        if (block.entries == null && block.lists == null && block.properties == null) {
            block.raw = ByteMutations.change(block.raw, otherBytes, random);
        } else {
            block.changes = random.ints(2, 0, Integer.MAX_VALUE).toArray();
        }
    }

    private void mutateDirectory() {
        final Block directory = image.find(BlockType.DIRECTORY);
        if (directory == null) {
            return;
        }
        final int which = random.nextInt(2);
        final List<Handle> handles = directory.lists.get(which);
        if (random.nextInt(6) == 0) {
            directory.listCountMore[which] = (int) ByteMutations.changed(0, random);
            return;
        }
        if (handles.isEmpty() || random.nextInt(6) == 0) {
            final Handle handle = new Handle();
            handle.first = random.nextInt(image.blocks.size());
            handle.count = 1;
            handles.add(handle);
            return;
        }
        final int at = random.nextInt(handles.size());
        switch (random.nextInt(4)) {
            case 0:
                handles.remove(at);
                break;
            case 1:
                directory.lz4 = true;
                for (int more = 1 << random.nextInt(12); more > 0; more--) {
                    handles.add(at, handles.get(at).copy());
                }
                break;
            default:
                mutateHandle(handles.get(at));
                break;
        }
    }

    private void mutateHandle(final Handle handle) {
        switch (random.nextInt(6)) {
            case 0:
                handle.first = random.nextInt(image.blocks.size() + 1);
                break;
            case 1:
                handle.count = random.nextInt(image.blocks.size() + 1);
                break;
            case 2:
                handle.offsetMore = ByteMutations.changed(handle.offsetMore, random);
                break;
            case 3:
                handle.lengthMore = ByteMutations.changed(handle.lengthMore, random);
                break;
            case 4:
                handle.first = 0;
                handle.count = 1 + random.nextInt(image.blocks.size());
                handle.raw = (1L << 10 + random.nextInt(20)) / 64 * 64;
                break;
            default:
                handle.raw = ByteMutations.changed(handle.raw, random);
                break;
        }
    }

    private void mutateProperties() {
        final Block block = image.find(BlockType.PROPERTIES);
        if (block == null || block.properties.isEmpty()) {
            return;
        }
        final List<Property> properties = block.properties;
        final int at = random.nextInt(properties.size());
        final Property property = properties.get(at);
        switch (random.nextInt(8)) {
            case 0:
                properties.remove(at);
                break;
            case 1:
                block.propertyCountMore = (int) ByteMutations.changed(0, random);
                break;
            case 2:
                property.lengthMore = ByteMutations.changed(0, random);
                break;
            case 3:
                final Property more = new Property();
                more.name = property.name + (char) random.nextInt(256);
                more.value = property.value;
                properties.add(at + 1, more);
                break;
            case 4:
                properties.set(at, properties.set(random.nextInt(properties.size()), property));
                break;
            default:
                if (property.handle != null) {
                    mutateHandle(property.handle);
                } else if (random.nextBoolean()) {
                    property.value = TableImage.varint(ByteMutations.number(random));
                } else {
                    property.value = ByteMutations.change(property.value, otherBytes, random);
                }
                break;
        }
    }

    private void mutateEntries() {
        final Block block = blockWithEntries();
        if (block == null) {
            return;
        }
        final int at = random.nextInt(block.entries.size());
        final Entry entry = block.entries.get(at);
        switch (random.nextInt(11)) {
            case 0:
            case 9:
            case 10:
                mutateRestarts(block);
                break;
            case 1:
                block.entries.remove(at);
                break;
            case 2:
                block.entries.set(at, block.entries.set(random.nextInt(block.entries.size()), entry));
                break;
            case 3:
                if (block.entries.size() < MOST_ENTRIES) {
                    block.entries.add(random.nextInt(block.entries.size()), anyEntry(entry).copy());
                }
                break;
            case 4:
                if (entry.handle != null) {
                    mutateHandle(entry.handle);
                } else {
                    setValue(entry, ByteMutations.change(entry.value, otherBytes, random));
                }
                break;
            case 5:
                setTail(entry, random.nextInt(8) == 0 ? new byte[TableEntryLayout.MAX_KEY_BYTES - random.nextInt(3)]
                    : ByteMutations.change(entry.tail, otherBytes, random));
                break;
            case 6:
                entry.tag ^= random.nextBoolean() ? 1 + random.nextInt(3) : 1L << random.nextInt(Long.SIZE);
                if (entry.form() == TableEntryLayout.FORM_VALUE_APART && entry.handle == null) {
                    entry.handle = new Handle();
                    entry.handle.count = 1;
                    entry.valueLength = ByteMutations.changed(entry.valueLength, random);
                }
                break;
            default:
                mutateLength(entry);
                break;
        }
    }

    private Entry anyEntry(final Entry otherwise) {
        final Block block = random.nextBoolean() ? blockWithEntries()
            : other.blocks.get(random.nextInt(other.blocks.size()));
        return block == null || block.entries == null || block.entries.isEmpty() ? otherwise
            : block.entries.get(random.nextInt(block.entries.size()));
    }

    private void mutateLength(final Entry entry) {
        switch (random.nextInt(3)) {
            case 0:
                entry.shared = ByteMutations.changed(entry.shared, random);
                break;
            case 1:
                entry.unshared = ByteMutations.changed(entry.unshared, random);
                break;
            default:
                entry.valueLength = ByteMutations.changed(entry.valueLength, random);
                break;
        }
    }

    private static void setTail(final Entry entry, final byte[] tail) {
        entry.unshared += tail.length - entry.tail.length;
        entry.tail = tail;
    }

    private static void setValue(final Entry entry, final byte[] value) {
        entry.valueLength += value.length - entry.value.length;
        entry.value = value;
    }

    /** The first restart point is changed rarely: a block without it is not read any further. */
    private void mutateRestarts(final Block block) {
        final int at = Math.min(block.restarts.size(),
            Math.max(random.nextInt(block.restarts.size() + 1), random.nextInt(2)));
        switch (random.nextInt(5)) {
            case 0:
                block.restartCountMore = (int) ByteMutations.changed(0, random);
                break;
            case 1:
                block.restarts.add(at, (long) random.nextInt(block.entries.size()));
                break;
            case 2:
                if (at < block.restarts.size()) {
                    block.restarts.remove(at);
                }
                break;
            case 3:
                if (at < block.restarts.size()) {
                    block.restarts.set(at, (long) random.nextInt(block.entries.size()));
                }
                break;
            default:
                if (at < block.restarts.size()) {
                    block.restarts.set(at, Block.LITERAL + (ByteMutations.number(random) & 0xFFFF_FFFFL));
                }
                break;
        }
    }
}
