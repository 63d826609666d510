/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ASM9;
import static org.objectweb.asm.Opcodes.DUP;
import static org.objectweb.asm.Opcodes.GETFIELD;
import static org.objectweb.asm.Opcodes.IALOAD;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.LLOAD;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.MethodVisitor;

/**
 * Has the allocators of the product tell the twin of {@code Slab} which memory is given back and which is handed out again:
 * any other access to freed memory outlasts its guard.
 */
final class Reclaiming {
    private static final String SLAB = "io/nestling/offheap/Slab";
    private static final String BLOCKS = "io/nestling/offheap/BlockAllocator";
    private static final String NODES = "io/nestling/skiplist/NodeArena";
    /* The methods that are hooked. Blocks that are handed out again are cleared, which the twin sees. */
    private static final Map<String, Set<String>> METHODS =

        Map.of(BLOCKS, Set.of("free", "retire"), NODES, Set.of("push", "pop", "retire"));

    private final String owner;
    private final Set<String> left;

    Reclaiming(final String owner) {
        this.owner = owner;
        this.left = new HashSet<>(METHODS.getOrDefault(owner, Set.of()));
    }

    static boolean isAllocator(final String owner) {
        return METHODS.containsKey(owner);
    }

    /** Fails if a method does not exist: a rename has to change the list here too. */
    void checkAllFound() {
        if (!left.isEmpty()) {
            throw new IllegalStateException("the race finder does not find " + left + " of " + owner
                + ", by which memory is given back: change Reclaiming.METHODS");
        }
    }

    /** Adds the hook of a method, if it has one. */
    MethodVisitor hook(final String name, final MethodVisitor code) {
        return left.remove(name) ? new Hook(owner, name, code) : code;
    }

    private static final class Hook extends MethodVisitor {
        private final String owner;
        private final String name;

        Hook(final String owner, final String name, final MethodVisitor next) {
            super(ASM9, next);
            this.owner = owner;
            this.name = name;
        }

        private void loadSlab() {
            super.visitVarInsn(ALOAD, 0);
            super.visitFieldInsn(GETFIELD, owner, "slab", "L" + SLAB + ';');
        }

        private void call(final String method, final String descriptor) {
            super.visitMethodInsn(INVOKESTATIC, SLAB, method, descriptor, false);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            switch (name) {
                case "free", "retire" -> {
                    final String what = name.equals("free") ? "AreFree" : "AreRetired";
                    loadSlab();
                    if (owner.equals(NODES)) {
                        super.visitVarInsn(ILOAD, 1);
                        super.visitVarInsn(ILOAD, 2);
                        call("units" + what, "(L" + SLAB + ";II)V");
                        return;
                    }
                    super.visitVarInsn(LLOAD, 1);
                    super.visitVarInsn(ALOAD, 0);
                    super.visitFieldInsn(GETFIELD, owner, "classBytes", "[I");
                    super.visitVarInsn(ILOAD, 3);
                    super.visitInsn(IALOAD);
                    call("bytes" + what, "(L" + SLAB + ";JI)V");
                }
                case "push" -> {
                    loadSlab();
                    super.visitVarInsn(ILOAD, 1);
                    super.visitVarInsn(ILOAD, 2);
                    call("unitsAreFree", "(L" + SLAB + ";II)V");
                }
                default -> { }
            }
        }

        @Override
        public void visitInsn(final int opcode) {
            if (opcode == IRETURN && name.equals("pop")) {
                super.visitInsn(DUP);
                loadSlab();
                super.visitVarInsn(ILOAD, 1);
                call("unitsAreTaken", "(IL" + SLAB + ";I)V");
            }
            super.visitInsn(opcode);
        }
    }
}
