# Sourced by bin/cassandra-smoke and bin/cassandra-cluster, which set $name and $root: finds a JDK that runs Cassandra, builds the jar
# of Nestling if need be, and makes an installation in $place: the directory lib/ with the jars of Cassandra and that one beside them.
# Sets $java, $classes, $flags and $logging.

version=${NESTLING_CASSANDRA_VERSION:-}
build=$root/target/cassandra-${version:-5.0.9}
place=$root/target/$name

fail() {
    printf '%s: %s\n' "$name" "$*" >&2
    exit 1
}

case $root in
    *:*) fail "Java cannot run from a directory with ':' in its path, which is $root; move it, or name it otherwise" ;;
esac

usage() {
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "$root/bin/$name"
}

feature_of() {
    "$1" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = //p'
}

find_java() {
    if [ -n "${NESTLING_JAVA:-}" ]; then
        java=$NESTLING_JAVA
        command -v "$java" > /dev/null 2>&1 || fail "NESTLING_JAVA is no program: $java"
        feature=$(feature_of "$java")
        [ -n "$feature" ] || fail "NESTLING_JAVA is no Java: $java"
    else
        # 17 if there is one: what Cassandra is made for.
        found=$(sh "$root/.ci/find-jdks" list | awk '$1 >= 17 && $1 <= 21' | tail -n 1)
        [ -n "$found" ] || fail "needs a JDK 17: found none where JDKs usually are, nor by JAVA_HOME;" \
            "NESTLING_JAVA names the java program of one"
        feature=${found%% *}
        java=${found#* }/bin/java
    fi
    { [ "$feature" -ge 17 ] && [ "$feature" -le 21 ]; } 2> /dev/null ||
        fail "needs a JDK 17, or one up to 21: Cassandra does not start on Java $feature ($java)"
}

find_jar() {
    # The newest: an older version may lie beside it.
    ls -t "$build"/nestling-cassandra-*.jar 2> /dev/null | head -n 1
}

build_jar() {
    jar=$(find_jar)
    if [ -n "$jar" ] && [ -d "$build/lib" ] && [ -d "$build/client-lib" ] &&
        [ -z "$(find "$root/build-parent" "$root/src/main" "$root/src/cassandra" -type f -newer "$jar" -print | head -n 1)" ]; then
        return
    fi
    command -v mvn > /dev/null 2>&1 || fail "not built, and there is no mvn on the PATH to build it"
    echo "- building the jar (log in target/$name-build.log)"
    mkdir -p "$root/target"
    log=$root/target/$name-build.log
    if ! (cd "$root" && mvn -q -B -f src/cassandra/pom.xml ${version:+"-Dcassandra.version=$version"} -DskipTests \
        -Dcheckstyle.skip package) > "$log" 2>&1; then
        cat "$log" >&2
        fail "the build failed, see above"
    fi
    jar=$(find_jar)
    [ -n "$jar" ] || fail "the build left no jar in $build"
    touch "$jar"
}

make_installation() {
    find_java
    build_jar
    rm -rf "$place"
    mkdir -p "$place/lib"
    cp "$build"/lib/*.jar "$place/lib"
    cp "$jar" "$place/lib"
    echo "- made target/$name/lib: Cassandra ${version:-5.0.9}, and $(basename "$jar") beside it"
    flags=$root/src/cassandra/conf/jvm17.flags
    classes=$build/test-classes:$place/lib/*:$build/client-lib/*
    logging=-Dlogback.configurationFile=$root/src/cassandra/conf/logback.xml
}

# Becomes a program that starts nodes, which end when it ends, however that ends.
run() {
    exec "$java" -Xmx512m "$logging" -Dnestling.log.level=ERROR "-Dnestling.cassandra.flags=$flags" \
        "-Dnestling.cassandra.lib=$place/lib" "-Dnestling.cassandra.nodes=$place" -cp "$classes" "$@"
}
