package dev.holdfast.testing;

import java.sql.SQLException;
import org.h2.tools.Server;

/** Lets other processes use the databases that H2 has in the memory of this one. */
public final class ServedH2 {
  private static final String IN_MEMORY = "jdbc:h2:mem:";

  private ServedH2() {}

  /** Started by the first that asks; its threads are daemons. */
  private static final class Holder {
    static final Server SERVER = start();

    private static Server start() {
      try {
        return Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** The URL by which a process finds this schema, whichever the database. */
  public static String url(TestSchema schema) {
    String url = schema.url();
    return url.startsWith(IN_MEMORY)
        ? "jdbc:h2:tcp://127.0.0.1:"
            + Holder.SERVER.getPort()
            + "/mem:"
            + url.substring(IN_MEMORY.length())
        : url;
  }
}
