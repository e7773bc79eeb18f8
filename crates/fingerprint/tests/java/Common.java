package common;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What every edited class can use. */
public class Common {
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Seen {
        String value() default "";
        int[] list() default {};
    }

    @Retention(RetentionPolicy.RUNTIME)
    public @interface Other {
        int one() default 1;
        int two() default 2;
    }

    @Retention(RetentionPolicy.CLASS)
    public @interface Unseen {
        String value() default "";
    }

    @Retention(RetentionPolicy.SOURCE)
    public @interface Gone {}

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE_USE)
    public @interface OnType {
        int value();
    }
}
