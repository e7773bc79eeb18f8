/** Has what a module can have. */
@Deprecated
open module everything {
    requires transitive java.logging;
    requires static java.sql;
    exports everything;
    exports everything.inner to java.logging, java.sql;
    uses Runnable;
    provides Runnable with everything.inner.Second, everything.inner.First;
}
