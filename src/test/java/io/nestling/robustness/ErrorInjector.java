/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.robustness;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Loads the classes of the product once more. Each method but static initialisers passes by {@link ErrorPoint} before it
 * makes an object or an array and before it calls a method, of whomever it is. Calls of constructors belong to the object that is
 * made, and those of method handles and variable handles are none where the JDK knows them.
 */
final class ErrorInjector extends ClassLoader {
    private static final String PRODUCT = "io.nestling.";
    private static final String OWN = "io.nestling.robustness.";
    private static final String POINT = ErrorPoint.class.getName();

    ErrorInjector() {
        super(ErrorInjector.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PRODUCT) || name.equals(POINT)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            final Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(final String name) throws ClassNotFoundException {
        final byte[] bytes;
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            bytes = in.readAllBytes();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        final byte[] changed = name.startsWith(OWN) ? bytes : withPoints(bytes);
        return defineClass(name, changed, 0, changed.length, ErrorInjector.class.getProtectionDomain());
    }

    private static byte[] withPoints(final byte[] bytes) {
        final ClassReader reader = new ClassReader(bytes);
        final ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(
                final int access, final String name, final String descriptor, final String signature,
                final String[] exceptions) {
                final MethodVisitor plain = super.visitMethod(access, name, descriptor, signature, exceptions);
                return name.equals("<clinit>") ? plain : new Points(plain);
            }
        }, 0);
        return writer.toByteArray();
    }

    /** Adds calls of {@link ErrorPoint} to a method. */
    private static final class Points extends MethodVisitor {
        private static final String OWNER = POINT.replace('.', '/');

        Points(final MethodVisitor method) {
            super(Opcodes.ASM9, method);
        }

        private void add(final String point) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, OWNER, point, "()V", false);
        }

        @Override
        public void visitTypeInsn(final int opcode, final String type) {
            super.visitTypeInsn(opcode, type);
            if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) {
                add("allocate"); // behind it: frames name the place of an object that is not initialised yet
            }
        }

        @Override
        public void visitIntInsn(final int opcode, final int operand) {
            if (opcode == Opcodes.NEWARRAY) {
                add("allocate");
            }
            super.visitIntInsn(opcode, operand);
        }

        @Override
        public void visitMultiANewArrayInsn(final String descriptor, final int dimensions) {
            add("allocate");
            super.visitMultiANewArrayInsn(descriptor, dimensions);
        }

        @Override
        public void visitInvokeDynamicInsn(
            final String name, final String descriptor, final Handle bootstrap, final Object... arguments) {
            add("allocate");
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
        }

        @Override
        public void visitMethodInsn(
            final int opcode, final String owner, final String name, final String descriptor, final boolean isInterface) {
            if (!name.equals("<init>") && !owner.startsWith("java/lang/invoke/")) {
                add("call");
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
    }
}
