import java.io.PrintWriter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.*;
import org.junit.platform.launcher.listeners.*;

/** Runs test classes on the JUnit Platform. The platform's own console takes three times as long to start. */
public class Launch {
    public static void main(String[] tests) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (String test : tests) {
            request.selectors(DiscoverySelectors.selectClass(test));
        }
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request.build(), listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out));
        System.exit(summary.getFailures().isEmpty() ? 0 : 1);
    }
}
