/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.objectweb.asm.Opcodes.ACC_VOLATILE;
import static org.objectweb.asm.Opcodes.ASM9;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;

/** The volatile fields of a class, and the one that its field updater or variable handle names. */
final class VolatileFields extends ClassVisitor {
    private final Set<String> names = new HashSet<>();
    private String updated;
    private String parent;

    VolatileFields(final byte[] classFile) {
        super(ASM9);
        new ClassReader(classFile).accept(this, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    boolean contains(final String name) {
        return names.contains(name);
    }

    String parent() {
        return parent;
    }

    void addAll(final VolatileFields inherited) {
        names.addAll(inherited.names);
    }

    /**
     * Returns the number of the field that this class reaches by an updater or variable handle.
     *
     * @param of the class that has the field
     */
    int updatedIndex(final VolatileFields of) {
        if (updated == null && of.names.size() != 1) {
            throw new IllegalStateException("the race finder cannot tell which of the fields " + of.names + " a handle is for");
        }
        return Rewriter.index(updated != null ? updated : of.names.iterator().next());
    }

    @Override
    public void visit(final int version, final int access, final String name, final String signature, final String superName,
        final String[] interfaces) {
        parent = superName;
    }

    @Override
    public FieldVisitor visitField(
        final int access, final String name, final String descriptor, final String signature, final Object value) {
        if ((access & ACC_VOLATILE) != 0) {
            names.add(name);
        }
        return null;
    }

    @Override
    public MethodVisitor visitMethod(
        final int access, final String name, final String descriptor, final String signature, final String[] exceptions) {
        return !name.equals("<clinit>") ? null : new MethodVisitor(ASM9) {
            private String text;

            @Override
            public void visitLdcInsn(final Object value) {
                text = value instanceof String string ? string : text;
            }

            @Override
            public void visitMethodInsn(final int opcode, final String owner, final String method, final String signature,
                final boolean isInterface) {
                if (method.equals("newUpdater") || method.equals("findVarHandle")) {
                    updated = text;
                }
            }
        };
    }
}
