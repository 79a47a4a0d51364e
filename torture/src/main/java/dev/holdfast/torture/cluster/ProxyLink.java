package dev.holdfast.torture.cluster;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** One connection through a {@link FaultProxy}. Two threads forward its messages. */
final class ProxyLink {
  private static final int BUFFER = 16 * 1024;

  /** Statements of Holdfast that lock rows which other instances wait for. */
  private static final Pattern LOCKS =
      Pattern.compile(
          "(?is).*((holdfast_(limit|lease)\\b.*\\bFOR\\s+(NO\\s+KEY\\s+)?UPDATE(?!\\s+SKIP))"
              + "|(^\\s*UPDATE\\s+\\S*holdfast_schedule\\b)).*");

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server;
  private final Set<String> locking = ConcurrentHashMap.newKeySet();
  private volatile boolean silent;
  private volatile long silentSince;
  private volatile boolean lockAsked;

  ProxyLink(FaultProxy proxy, Socket client, Socket server) {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
  }

  Socket server() {
    return server;
  }

  /** From the client to the server. The first message has no type. */
  void forwardRequests() {
    try {
      DataInputStream in = in(client);
      DataOutputStream out = out(server);
      boolean first = true;
      while (true) {
        int type = first ? 0 : in.readUnsignedByte();
        int length = in.readInt();
        byte[] body = in.readNBytes(length - 4);
        proxy.awaitStall();
        if (silent) {
          continue;
        }
        watchForLocks(type, body);
        if (!first) {
          out.writeByte(type);
        }
        out.writeInt(length);
        out.write(body);
        if (in.available() == 0) {
          out.flush();
        }
        first = false;
      }
    } catch (IOException e) {
      ended();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** From the server to the client. */
  void forwardAnswers() {
    try {
      DataInputStream in = in(server);
      DataOutputStream out = out(client);
      while (true) {
        int type = in.readUnsignedByte();
        int length = in.readInt();
        byte[] body = in.readNBytes(length - 4);
        proxy.awaitStall();
        if (isLost(type, body)) {
          reset();
          return;
        }
        if (silent) {
          continue;
        }
        out.writeByte(type);
        out.writeInt(length);
        out.write(body);
        if (in.available() == 0) {
          out.flush();
        }
      }
    } catch (IOException e) {
      ended();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Parse and Bind say which statement comes next. */
  private void watchForLocks(int type, byte[] body) {
    if (type == 'P') {
      int end = zero(body, 0);
      String name = text(body, 0, end);
      boolean locks = LOCKS.matcher(text(body, end + 1, zero(body, end + 1))).matches();
      if (locks) {
        locking.add(name);
      } else {
        locking.remove(name);
      }
    } else if (type == 'B') {
      int portal = zero(body, 0);
      lockAsked = locking.contains(text(body, portal + 1, zero(body, portal + 1)));
    }
  }

  private boolean isLost(int type, byte[] body) {
    if (type == 'C') {
      String tag = text(body, 0, zero(body, 0));
      if (tag.startsWith("COMMIT")) {
        return proxy.takeCommit();
      }
      if (tag.startsWith("UPDATE") || tag.startsWith("INSERT") || tag.startsWith("DELETE")) {
        return proxy.takeAnswer();
      }
    } else if (type == 'Z' && lockAsked) {
      lockAsked = false;
      // inside of a transaction: the lock is held from now on
      if (body.length == 1 && body[0] == 'T' && proxy.takeLock()) {
        silence();
      }
    }
    return false;
  }

  private static int zero(byte[] body, int from) {
    int end = from;
    while (end < body.length && body[end] != 0) {
      end++;
    }
    return end;
  }

  private static String text(byte[] body, int from, int to) {
    return from >= to ? "" : new String(body, from, to - from, StandardCharsets.UTF_8);
  }

  private static DataInputStream in(Socket socket) throws IOException {
    return new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER));
  }

  private static DataOutputStream out(Socket socket) throws IOException {
    return new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER));
  }

  void silence() {
    if (!silent) {
      silentSince = System.nanoTime();
      silent = true;
    }
  }

  void resetIfSilentSince(long nanos) {
    if (silent && silentSince - nanos <= 0) {
      reset();
    }
  }

  /** One side has ended: the other learns of it, unless nothing gets through. */
  private void ended() {
    if (!silent) {
      close();
    }
  }

  void close() {
    proxy.gone(this);
    close(client);
    close(server);
  }

  /** Without a proper end: the peers are told that the connection is reset. */
  void reset() {
    for (Socket socket : new Socket[] {client, server}) {
      try {
        socket.setSoLinger(true, 0);
      } catch (IOException e) {
        // not connected, or closed already
      }
    }
    close();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is of no use any more
    }
  }
}
