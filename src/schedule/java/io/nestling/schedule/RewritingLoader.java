/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Loads the product rewritten, with the twin in place of {@code Slab}, and the scenarios. Each loader has a product of
 * its own, in which a plant may replace classes; they share the scheduler.
 */
final class RewritingLoader extends ClassLoader {
    private static final String PROJECT = "io.nestling.";
    private static final String POOL = "io.nestling.offheap.ScratchPool";
    private static final String SLAB = "io/nestling/offheap/Slab";
    private static final String TOOL = "io/nestling/schedule/";
    private static final String SCENARIOS = "io.nestling.schedule.scenario.";
    private static final String TEST_FIXTURES = "io/nestling/testing/";

    private final Map<String, byte[]> replaced;
    private final Rewriter rewriter = new Rewriter(this::volatileFields);
    private final Map<String, VolatileFields> fields = new HashMap<>();
    private final List<Class<?>> products = new ArrayList<>();
    /* Static fields of the first classes, as many as are known. */
    private final List<Field> counters = new ArrayList<>();
    private final List<Field> pools = new ArrayList<>();
    private int known;

    /**
     * @param replaced class files by internal name, in place of those of the class path
     */
    RewritingLoader(final Map<String, byte[]> replaced) {
        super(RewritingLoader.class.getClassLoader());
        this.replaced = replaced;
    }

    private static boolean isProduct(final String internalName) {
        return internalName.startsWith("io/nestling/") && !internalName.startsWith(TOOL)
            && !internalName.startsWith(TEST_FIXTURES)
            && !internalName.equals(SLAB);
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            if (found == null) {
                final boolean own = name.startsWith(PROJECT) && !name.startsWith(TOOL.replace('/', '.'));
                found = own || name.startsWith(SCENARIOS) ? findClass(name) : super.loadClass(name, resolve);
            }
            return found;
        }
    }

    @Override
    protected Class<?> findClass(final String name) throws ClassNotFoundException {
        final String internal = name.replace('.', '/');
        final byte[] file = read(internal);
        if (file == null) {
            throw new ClassNotFoundException(name);
        }
        final byte[] bytes = isProduct(internal) ? rewriter.rewrite(file) : file;
        final Class<?> defined = defineClass(name, bytes, 0, bytes.length);
        if (isProduct(internal)) {
            products.add(defined);
        }
        return defined;
    }

    private byte[] read(final String internal) {
        if (replaced.containsKey(internal)) {
            return replaced.get(internal);
        }
        try (InputStream in = getParent().getResourceAsStream(internal + ".class")) {
            return in == null ? null : in.readAllBytes();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private VolatileFields volatileFields(final String internal) {
        VolatileFields found = fields.get(internal);
        if (found == null) {
            found = new VolatileFields(read(internal));
            if (isProduct(found.parent())) {
                found.addAll(volatileFields(found.parent()));
            }
            fields.put(internal, found);
        }
        return found;
    }

    /** Sets the static counters of the product to zero and empties its static pools: a run does not depend on those before it. */
    void resetCounters() {
        while (known < products.size()) {
            for (final Field field : products.get(known++).getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    if (field.getType() == AtomicInteger.class || field.getType() == AtomicLong.class) {
                        counters.add(field);
                    } else if (field.getType().getName().equals(POOL)) {
                        pools.add(field);
                    }
                }
            }
        }
        counters.forEach(RewritingLoader::zero);
        pools.forEach(RewritingLoader::empty);
    }

    private static void empty(final Field field) {
        try {
            field.setAccessible(true);
            final Field slots = field.getType().getDeclaredField("slots");
            slots.setAccessible(true);
            final AtomicReferenceArray<?> objects = (AtomicReferenceArray<?>) slots.get(field.get(null));
            for (int i = 0; i < objects.length(); i++) {
                objects.set(i, null);
            }
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void zero(final Field field) {
        try {
            field.setAccessible(true);
            final Object counter = field.get(null);
            if (counter instanceof final AtomicInteger number) {
                number.set(0);
            } else if (counter instanceof final AtomicLong number) {
                number.set(0);
            }
        } catch (final IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
