/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.objectweb.asm.Opcodes.ASM9;
import static org.objectweb.asm.Opcodes.DUP;
import static org.objectweb.asm.Opcodes.DUP2;
import static org.objectweb.asm.Opcodes.DUP2_X1;
import static org.objectweb.asm.Opcodes.DUP_X2;
import static org.objectweb.asm.Opcodes.GETFIELD;
import static org.objectweb.asm.Opcodes.GETSTATIC;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.MONITORENTER;
import static org.objectweb.asm.Opcodes.MONITOREXIT;
import static org.objectweb.asm.Opcodes.POP;
import static org.objectweb.asm.Opcodes.POP2;
import static org.objectweb.asm.Opcodes.PUTFIELD;
import static org.objectweb.asm.Opcodes.SWAP;

import java.util.function.Function;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/** Rewrites what needs no call in a method: monitors, and reads and writes of volatile fields. */
class SynchronizedMethod extends MethodVisitor {
    private static final String SCHEDULER = "io/nestling/schedule/Scheduler";
    private static final String MONITORS = "io/nestling/schedule/Monitors";
    private final Function<String, VolatileFields> fieldsOf;

    SynchronizedMethod(final MethodVisitor next, final Function<String, VolatileFields> fieldsOf) {
        super(ASM9, next);
        this.fieldsOf = fieldsOf;
    }

    /** Before each access. */
    void announce() {
    }

    @Override
    public void visitInsn(final int opcode) {
        if (opcode == MONITORENTER || opcode == MONITOREXIT) {
            announce();
            final String what = opcode == MONITORENTER ? "lock" : "unlock";
            super.visitMethodInsn(INVOKESTATIC, MONITORS, what, "(Ljava/lang/Object;)V", false);
        } else {
            super.visitInsn(opcode);
        }
    }

    @Override
    public void visitFieldInsn(final int opcode, final String owner, final String name, final String descriptor) {
        if (!owner.startsWith("io/nestling/") || !fieldsOf.apply(owner).contains(name)) {
            super.visitFieldInsn(opcode, owner, name, descriptor);
            return;
        }
        announce();
        final boolean wide = Type.getType(descriptor).getSize() == 2;
        switch (opcode) {
            case GETFIELD -> super.visitInsn(DUP);
            case PUTFIELD -> {
                if (wide) {
                    super.visitInsn(DUP2_X1);
                    super.visitInsn(POP2);
                    super.visitInsn(DUP);
                } else {
                    super.visitInsn(DUP2);
                    super.visitInsn(POP);
                }
            }
            default -> super.visitInsn(ACONST_NULL);
        }
        super.visitLdcInsn(Rewriter.index(name));
        super.visitLdcInsn(opcode == GETFIELD || opcode == GETSTATIC ? Scheduler.ACQUIRE : Scheduler.VOLATILE_WRITE);
        super.visitMethodInsn(INVOKESTATIC, SCHEDULER, "heap", "(Ljava/lang/Object;II)V", false);
        if (opcode == PUTFIELD && wide) {
            super.visitInsn(DUP_X2);
            super.visitInsn(POP);
        }
        final Type type = Type.getType(descriptor);
        final boolean number =
            opcode == GETFIELD && (type == Type.LONG_TYPE || type == Type.INT_TYPE || type == Type.BOOLEAN_TYPE);
        if (number) {
            super.visitInsn(DUP);
        }
        super.visitFieldInsn(opcode, owner, name, descriptor);
        if (number) {
            if (wide) {
                super.visitInsn(DUP2_X1);
                super.visitInsn(POP2);
            } else {
                super.visitInsn(SWAP);
            }
            super.visitLdcInsn(Rewriter.index(name));
            super.visitLdcInsn(Scheduler.ACQUIRE);
            Rewriter.loaded(mv, type);
        }
    }
}
