/*
 * Copyright 2026 The Nestling Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.nestling.schedule;

import static org.objectweb.asm.Opcodes.ACONST_NULL;
import static org.objectweb.asm.Opcodes.ACC_INTERFACE;
import static org.objectweb.asm.Opcodes.ACC_PRIVATE;
import static org.objectweb.asm.Opcodes.ACC_PROTECTED;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACC_SYNCHRONIZED;
import static org.objectweb.asm.Opcodes.ACC_SYNTHETIC;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.ASM9;
import static org.objectweb.asm.Opcodes.ATHROW;
import static org.objectweb.asm.Opcodes.F_FULL;
import static org.objectweb.asm.Opcodes.I2L;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.LLOAD;
import static org.objectweb.asm.Opcodes.LSTORE;
import static org.objectweb.asm.Opcodes.NEW;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/**
 * Rewrites a class of the product so that all its synchronization goes to the {@link Scheduler}: volatile fields, atomic
 * objects, fences, monitors, locks, waiting, thread locals, thread numbers and time. Each call of an atomic object's method
 * becomes a call of a static method that the class gets for it, which announces the access and then carries it out.
 */
final class Rewriter {
    private static final String SCHEDULER = "io/nestling/schedule/Scheduler";
    private static final String MONITORS = "io/nestling/schedule/Monitors";
    private static final String RANDOMNESS = "io/nestling/schedule/Randomness";
    private static final String MUTATIONS = "io/nestling/schedule/Mutations";
    private static final String FIBER_LOCAL = "io/nestling/schedule/FiberLocal";
    private static final String SLAB = "io/nestling/offheap/Slab";
    private static final String THREAD_LOCAL = "java/lang/ThreadLocal";
    private static final String VAR_HANDLE = "java/lang/invoke/VarHandle";
    private static final Set<String> ORDERED =
        Set.of("getIntAcquire", "getLongAcquire", "putIntRelease", "putLongRelease");
    private static final Set<String> QUEUES = Set.of("java/util/concurrent/ConcurrentSkipListMap",
        "java/util/concurrent/ConcurrentLinkedQueue", "java/util/concurrent/ConcurrentLinkedDeque",
        "java/util/concurrent/ConcurrentHashMap");
    private static final Set<String> NO_ACCESS = Set.of("<init>", "length", "toString", "newUpdater", "getPlain", "setPlain");
    private static final Set<String> RANDOM = Set.of("java/util/concurrent/ThreadLocalRandom.nextLong",
        "java/security/SecureRandom.nextLong", "java/security/SecureRandom.nextBytes");
    /* Calls that become a call of the scheduler with the same arguments; the receiver comes first. */
    private static final Map<String, String> CALLS = Map.ofEntries(
        Map.entry("java/lang/Thread.onSpinWait", "spin"), Map.entry("java/lang/Thread.yield", "spin"),
        Map.entry("java/util/concurrent/locks/LockSupport.parkNanos", "park"),
        Map.entry("java/lang/System.nanoTime", "nanoTime"),
        Map.entry("java/lang/Thread.currentThread", "currentThread"),
        Map.entry("java/lang/Thread.getId", "threadId"), Map.entry("java/lang/Thread.threadId", "threadId"),
        Map.entry("java/util/concurrent/ThreadPoolExecutor.execute", "execute"));
    /* The same, of the scheduler's monitors. */
    private static final Map<String, String> MONITOR_CALLS = Map.of(
        "java/util/concurrent/locks/ReentrantLock.lock", "lock",
        "java/util/concurrent/locks/ReentrantLock.unlock", "unlock",
        "java/util/concurrent/locks/ReentrantLock.tryLock", "tryLock",
        "java/util/concurrent/locks/ReentrantLock.isHeldByCurrentThread", "isHeld",
        "java/util/concurrent/TimeUnit.timedWait", "timedWait",
        "java/lang/Object.notifyAll", "wakeAll");
    private static final Set<String> UNKNOWN = Set.of("java/lang/Object.wait", "java/lang/Object.notify");
    private static final Map<String, String> FENCES = Map.of("acquireFence", "acquireFence", "loadLoadFence", "acquireFence",
        "releaseFence", "releaseFence", "storeStoreFence", "releaseFence", "fullFence", "fullFence");

    private final Function<String, VolatileFields> fieldsOf;

    /**
     * @param fieldsOf finds the volatile fields of a class by its internal name
     */
    Rewriter(final Function<String, VolatileFields> fieldsOf) {
        this.fieldsOf = fieldsOf;
    }

    byte[] rewrite(final byte[] bytes) {
        final ClassReader reader;
        try {
            reader = new ClassReader(bytes);
        } catch (final IllegalArgumentException e) {
            final int version = (bytes[6] & 0xFF) << 8 | bytes[7] & 0xFF;
            throw new IllegalStateException("the race finder cannot rewrite a class file of version " + version, e);
        }
        final ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(new OneClass(writer), 0);
        return writer.toByteArray();
    }

    /** Numbers a field within its object. Different names may have the same number, which orders more than there is. */
    static int index(final String field) {
        return Math.floorMod(field.hashCode(), 61);
    }

    private static int mode(final String method, final boolean numbers) {
        return switch (method) {
            case "getOpaque" -> Scheduler.NONE;
            case "setOpaque" -> numbers ? Scheduler.LATE_OPAQUE : Scheduler.NONE;
            case "get", "getAcquire", "getVolatile", "intValue", "longValue" -> Scheduler.ACQUIRE;
            case "setRelease", "lazySet" -> numbers ? Scheduler.LATE_RELEASE : Scheduler.RELEASE;
            case "set", "setVolatile" -> Scheduler.VOLATILE_WRITE;
            default -> Scheduler.READ_WRITE;
        };
    }

    /** An atomic object's method with its owner: one helper is made for each. */
    private record Access(String owner, String name, String descriptor) {
        boolean isIndirect() {
            return owner.equals(VAR_HANDLE) || owner.endsWith("FieldUpdater");
        }

        boolean isIndexed(final Type[] arguments) {
            final int at = isIndirect() ? 1 : 0;
            return (owner.endsWith("Array") || isIndirect() && arguments[0].getSort() == Type.ARRAY)
                && arguments.length > at && arguments[at] == Type.INT_TYPE;
        }

        /** The type of the number that is loaded or stored; null if it is none or if it is not only that. */
        Type value() {
            final Type[] arguments = Type.getArgumentTypes(descriptor);
            final Type result = Type.getReturnType(descriptor);
            final Type value = name.startsWith("set") || name.equals("lazySet") ? arguments[arguments.length - 1] : result;
            return value == Type.LONG_TYPE || value == Type.INT_TYPE || value == Type.BOOLEAN_TYPE ? value : null;
        }
    }

    /** Has what was loaded become what the fiber sees; behind it stand the place and the mode. */
    static void loaded(final MethodVisitor code, final Type type) {
        final String value = type == Type.LONG_TYPE ? "J" : "I";
        code.visitMethodInsn(
            INVOKESTATIC, SCHEDULER, "heapLoaded", '(' + value + "Ljava/lang/Object;II)" + value, false);
    }

    private final class OneClass extends ClassVisitor {
        private final Map<Access, String> helpers = new LinkedHashMap<>();
        private String owner;
        private boolean isInterface;
        private Reclaiming reclaiming;

        OneClass(final ClassVisitor next) {
            super(ASM9, next);
        }

        @Override
        public void visit(final int version, final int access, final String name, final String signature,
            final String parent, final String[] interfaces) {
            owner = name;
            reclaiming = new Reclaiming(name);
            isInterface = (access & ACC_INTERFACE) != 0;
            super.visit(version, access, name, signature, parent, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(final int access, final String name, final String descriptor, final String signature,
            final String[] exceptions) {
            if ((access & ACC_SYNCHRONIZED) == 0) {
                return reclaiming.hook(name,
                    new OneMethod(this, super.visitMethod(access, name, descriptor, signature, exceptions), name));
            }
            lockAround(super.visitMethod(access & ~ACC_SYNCHRONIZED, name, descriptor, signature, exceptions),
                (access & ACC_STATIC) != 0, name + "$locked", descriptor);
            final int hidden = access & ~(ACC_SYNCHRONIZED | ACC_PUBLIC | ACC_PROTECTED) | ACC_PRIVATE;
            return new OneMethod(this, super.visitMethod(hidden, name + "$locked", descriptor, signature, exceptions), name);
        }

        /** The body of a synchronized method: the monitor as a lock of the scheduler around a call. */
        private void lockAround(final MethodVisitor code, final boolean fixed, final String inner, final String descriptor) {
            final Label begin = new Label();
            final Label end = new Label();
            final Label failed = new Label();
            code.visitCode();
            monitor(code, fixed, "lock");
            code.visitTryCatchBlock(begin, end, failed, null);
            code.visitLabel(begin);
            if (!fixed) {
                code.visitVarInsn(ALOAD, 0);
            }
            loadArguments(code, fixed ? 0 : 1, descriptor);
            code.visitMethodInsn(fixed ? INVOKESTATIC : INVOKESPECIAL, owner, inner, descriptor, isInterface);
            code.visitLabel(end);
            monitor(code, fixed, "unlock");
            code.visitInsn(Type.getReturnType(descriptor).getOpcode(IRETURN));
            code.visitLabel(failed);
            code.visitFrame(F_FULL, fixed ? 0 : 1, fixed ? new Object[0] : new Object[] {owner}, 1,
                new Object[] {"java/lang/Throwable"});
            monitor(code, fixed, "unlock");
            code.visitInsn(ATHROW);
            code.visitMaxs(0, 0);
            code.visitEnd();
        }

        private void monitor(final MethodVisitor code, final boolean fixed, final String what) {
            if (fixed) {
                code.visitLdcInsn(Type.getObjectType(owner));
            } else {
                code.visitVarInsn(ALOAD, 0);
            }
            code.visitMethodInsn(INVOKESTATIC, MONITORS, what, "(Ljava/lang/Object;)V", false);
        }

        @Override
        public void visitEnd() {
            helpers.forEach((access, name) -> {
                final int modifiers = ACC_STATIC | ACC_SYNTHETIC | (isInterface ? ACC_PUBLIC : ACC_PRIVATE);
                helper(super.visitMethod(modifiers, name, helperDescriptor(access), null, null), access);
            });
            reclaiming.checkAllFound();
            super.visitEnd();
        }

        private String helperDescriptor(final Access access) {
            return "(L" + access.owner + ";" + access.descriptor.substring(1);
        }

        private void helper(final MethodVisitor code, final Access access) {
            final Type[] arguments = Type.getArgumentTypes(access.descriptor);
            final Type result = Type.getReturnType(access.descriptor);
            final Type value = access.value();
            final int mode = mode(access.name, value != null);
            int local = 1;
            for (final Type type : arguments) {
                local += type.getSize();
            }
            code.visitCode();
            loadPlace(code, access, arguments);
            code.visitLdcInsn(mode);
            code.visitMethodInsn(INVOKESTATIC, SCHEDULER, "heap", "(Ljava/lang/Object;II)V", false);
            if (mode >= Scheduler.LATE_RELEASE) {
                loadPresent(code, access, arguments, value);
                code.visitVarInsn(LSTORE, local);
            }
            code.visitVarInsn(ALOAD, 0);
            loadArguments(code, 1, access.descriptor);
            code.visitMethodInsn(INVOKEVIRTUAL, access.owner, access.name, access.descriptor, false);
            if (mode >= Scheduler.LATE_RELEASE) {
                loadPlace(code, access, arguments);
                code.visitVarInsn(LLOAD, local);
                loadPresent(code, access, arguments, value);
                code.visitLdcInsn(mode);
                code.visitMethodInsn(INVOKESTATIC, SCHEDULER, "heapStored", "(Ljava/lang/Object;IJJI)V", false);
            } else if (value != null && mode <= Scheduler.ACQUIRE) {
                loadPlace(code, access, arguments);
                code.visitLdcInsn(mode);
                loaded(code, result);
            }
            code.visitInsn(result.getOpcode(IRETURN));
            code.visitMaxs(0, 0);
            code.visitEnd();
        }

        /** Pushes the object and the number of the word in it. */
        private void loadPlace(final MethodVisitor code, final Access access, final Type[] arguments) {
            code.visitVarInsn(ALOAD, access.isIndirect() ? 1 : 0);
            final int indexArgument = access.isIndirect() ? 1 : 0;
            if (access.isIndexed(arguments)) {
                code.visitVarInsn(ILOAD, indexArgument + 1);
            } else {
                code.visitLdcInsn(!access.isIndirect() ? 0 : fieldsOf.apply(owner).updatedIndex(
                    arguments[0].getSort() == Type.OBJECT && !access.owner.endsWith("FieldUpdater")
                        ? fieldsOf.apply(arguments[0].getInternalName()) : fieldsOf.apply(owner)));
            }
        }

        /** Pushes the number that is there. */
        private void loadPresent(final MethodVisitor code, final Access access, final Type[] arguments, final Type value) {
            code.visitVarInsn(ALOAD, 0);
            final StringBuilder places = new StringBuilder("(");
            final int count = (access.isIndirect() ? 1 : 0) + (access.isIndexed(arguments) ? 1 : 0);
            for (int i = 0; i < count; i++) {
                code.visitVarInsn(arguments[i].getOpcode(ILOAD), i + 1);
                places.append(arguments[i].getDescriptor());
            }
            final String plain =
                access.owner.equals(VAR_HANDLE) || access.owner.endsWith("FieldUpdater") ? "get" : "getPlain";
            code.visitMethodInsn(
                INVOKEVIRTUAL, access.owner, plain, places.append(')').append(value.getDescriptor()).toString(), false);
            if (value.getSort() != Type.LONG) {
                code.visitInsn(I2L);
            }
        }

        private void loadArguments(final MethodVisitor code, final int first, final String descriptor) {
            int local = first;
            for (final Type type : Type.getArgumentTypes(descriptor)) {
                code.visitVarInsn(type.getOpcode(ILOAD), local);
                local += type.getSize();
            }
        }

        private String helperName(final Access access) {
            return helpers.computeIfAbsent(access, key -> "schedule$" + key.name + '$' + helpers.size());
        }
    }

    private final class OneMethod extends SynchronizedMethod {
        private final OneClass in;
        private final String name;
        private final Map<String, Integer> sitesOf = new HashMap<>();
        private final Set<Label> behind = new HashSet<>();
        private int line;
        private int accesses;

        OneMethod(final OneClass in, final MethodVisitor next, final String name) {
            super(next, fieldsOf);
            this.in = in;
            this.name = name;
        }

        /** Tells where the next access is made, by a number that does not change from run to run. */
        @Override
        void announce() {
            final int place = (in.owner + '.' + name).hashCode() * 31 + ++accesses;
            super.visitLdcInsn(place);
            call(SCHEDULER, Reclaiming.isAllocator(in.owner) ? "atAllocator" : "at", "(I)V");
        }

        @Override
        public void visitLabel(final Label label) {
            behind.add(label);
            super.visitLabel(label);
        }

        @Override
        public void visitJumpInsn(final int opcode, final Label target) {
            if (behind.contains(target)) {
                call(SCHEDULER, "turns", "()V"); // a loop
            }
            super.visitJumpInsn(opcode, target);
        }

        @Override
        public void visitLineNumber(final int number, final Label start) {
            line = number;
            super.visitLineNumber(number, start);
        }

        @Override
        public void visitTypeInsn(final int opcode, final String type) {
            super.visitTypeInsn(opcode, opcode == NEW && type.equals(THREAD_LOCAL) ? FIBER_LOCAL : type);
        }

        /** Pushes the number of a place whose order can be taken away. */
        private void site(final String what) {
            final int ordinal = sitesOf.merge(what, 1, Integer::sum);
            super.visitLdcInsn(Mutations.add(
                in.owner.substring(in.owner.indexOf('/', 3) + 1) + '.' + name + ' ' + what + ' ' + ordinal, line));
        }

        private void call(final String owner, final String method, final String descriptor) {
            super.visitMethodInsn(INVOKESTATIC, owner, method, descriptor, false);
        }

        @Override
        public void visitMethodInsn(
            final int opcode, final String owner, final String method, final String descriptor, final boolean isInterface) {
            final String full = owner + '.' + method;
            final String receiver = opcode == INVOKESTATIC ? "(" : "(L" + owner + ';';
            if (owner.equals(VAR_HANDLE) && FENCES.containsKey(method)) {
                site(method);
                call(SCHEDULER, FENCES.get(method), "(I)V");
            } else if (RANDOM.contains(full)) {
                call(RANDOMNESS, method, "(Ljava/util/Random;" + descriptor.substring(1));
            } else if (CALLS.containsKey(full)) {
                call(SCHEDULER, CALLS.get(full), receiver + descriptor.substring(1));
            } else if (MONITOR_CALLS.containsKey(full)) {
                if (MONITOR_CALLS.get(full).toLowerCase(Locale.ROOT).endsWith("lock")) {
                    announce();
                }
                call(MONITORS, MONITOR_CALLS.get(full), erased(full, receiver + descriptor.substring(1)));
            } else if (owner.equals(THREAD_LOCAL) && (method.equals("withInitial") || method.equals("<init>"))) {
                super.visitMethodInsn(opcode, FIBER_LOCAL, method, descriptor, isInterface);
            } else if (isAccess(owner, method, descriptor)) {
                final Access access = new Access(owner, method, descriptor);
                announce();
                super.visitMethodInsn(INVOKESTATIC, in.owner, in.helperName(access), in.helperDescriptor(access), in.isInterface);
            } else {
                if (owner.equals(SLAB)) {
                    announce();
                }
                if (owner.equals(SLAB) && ORDERED.contains(method)) {
                    site(method);
                    call(MUTATIONS, "at", "(I)V");
                } else if (QUEUES.contains(owner)) {
                    super.visitInsn(ACONST_NULL);
                    super.visitLdcInsn(0);
                    super.visitLdcInsn(Scheduler.READ_WRITE);
                    call(SCHEDULER, "heap", "(Ljava/lang/Object;II)V");
                } else if (UNKNOWN.contains(full) || !method.equals("<init>")
                    && (owner.startsWith("java/util/concurrent/locks/") || owner.startsWith("java/security/SecureRandom"))) {
                    throw new IllegalStateException("the race finder cannot rewrite " + full + descriptor + " in " + in.owner
                        + '.' + name + ": add it to Rewriter.CALLS or MONITOR_CALLS");
                }
                super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
            }
        }

        /** Locks are objects to the scheduler. */
        private String erased(final String full, final String descriptor) {
            return full.contains("ReentrantLock")
                ? descriptor.replace("Ljava/util/concurrent/locks/ReentrantLock;", "Ljava/lang/Object;") : descriptor;
        }

        private boolean isAccess(final String owner, final String method, final String descriptor) {
            if (NO_ACCESS.contains(method)) {
                return false;
            }
            return owner.startsWith("java/util/concurrent/atomic/")
                || owner.equals(VAR_HANDLE) && (descriptor.startsWith("([J") || descriptor.startsWith("(Lio/nestling/"));
        }
    }
}
