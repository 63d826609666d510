/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.objectweb.asm.Opcodes.ACC_PRIVATE;
import static org.objectweb.asm.Opcodes.ACC_SYNTHETIC;
import static org.objectweb.asm.Opcodes.ASM9;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;

/** Compares the methods of the three variants of {@code Slab}. */
class TwinTest {
    private static final String SLAB = "io/nestling/offheap/Slab.class";
    private static final Set<String> MADE_FOR_THE_TOOL = Set.of("reset()V", "bytesAreFree(Lio/nestling/offheap/Slab;JI)V",
        "bytesAreRetired(Lio/nestling/offheap/Slab;JI)V", "unitsAreRetired(Lio/nestling/offheap/Slab;II)V",
        "unitsAreFree(Lio/nestling/offheap/Slab;II)V", "unitsAreTaken(ILio/nestling/offheap/Slab;I)V");

    private static Set<String> methods(final URL classFile) throws IOException {
        final Set<String> methods = new TreeSet<>();
        try (InputStream in = classFile.openStream()) {
            new ClassReader(in).accept(new ClassVisitor(ASM9) {
                @Override
                public MethodVisitor visitMethod(final int access, final String name, final String descriptor,
                    final String signature, final String[] exceptions) {
                    if ((access & (ACC_PRIVATE | ACC_SYNTHETIC)) == 0 && !name.startsWith("<") && !name.equals("toString")) {
                        methods.add(name + descriptor);
                    }
                    return null;
                }
            }, ClassReader.SKIP_CODE);
        }
        return methods;
    }

    @Test
    void shouldHaveTheMethodsOfBothOtherVariants() throws IOException {
        final List<URL> variants = new ArrayList<>(Collections.list(TwinTest.class.getClassLoader().getResources(SLAB)));
        variants.addAll(Collections.list(TwinTest.class.getClassLoader().getResources("META-INF/versions/22/" + SLAB)));
        assertEquals(3, variants.size(), () -> "the twin and two variants: " + variants);
        final Set<String> twin = methods(variants.get(0));
        assertTrue(twin.removeAll(MADE_FOR_THE_TOOL), () -> "the twin comes first: " + variants);
        assertEquals(methods(variants.get(1)), twin);
        assertEquals(methods(variants.get(2)), twin);
    }
}
