package dev.holdfast.torture.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What all connections of one node to the database go through, and where they break.
 *
 * <p>It reads the messages of PostgreSQL's protocol, version 3 without TLS, so that it can lose the
 * answer to a commit for certain. A silent connection stays open on both sides, as in a partition;
 * after {@link #GIVE_UP_NANOS} it is reset, as TCP does in the end. Thread-safe.
 */
final class FaultProxy implements AutoCloseable {
  static final long GIVE_UP_NANOS = 60_000_000_000L;

  private final String name;
  private final ServerSocket listener;
  private final int serverPort;
  private final Set<ProxyLink> links = ConcurrentHashMap.newKeySet();
  private final Set<ProxyLink> unanswered = ConcurrentHashMap.newKeySet();
  private final AtomicInteger commitsToLose = new AtomicInteger();
  private final AtomicInteger answersToLose = new AtomicInteger();
  private final AtomicInteger locksToCut = new AtomicInteger();
  private final AtomicInteger hits = new AtomicInteger();
  private volatile boolean deaf;
  private volatile long stalledUntil;

  private FaultProxy(String name, ServerSocket listener, int serverPort) {
    this.name = name;
    this.listener = listener;
    this.serverPort = serverPort;
    this.stalledUntil = System.nanoTime();
  }

  static FaultProxy start(String name, int serverPort) throws IOException {
    FaultProxy proxy =
        new FaultProxy(
            name, new ServerSocket(0, 100, InetAddress.getLoopbackAddress()), serverPort);
    thread("proxy-" + name, proxy::accept);
    return proxy;
  }

  int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        client.setTcpNoDelay(true);
        Socket server = new Socket();
        ProxyLink link = new ProxyLink(this, client, server);
        if (deaf) {
          // in a partition it would not be accepted: it fails when that is over
          unanswered.add(link);
          continue;
        }
        links.add(link);
        thread("proxy-" + name + "-connect", () -> connect(link));
      } catch (IOException e) {
        // closed, or the client is gone already
      }
    }
  }

  private void connect(ProxyLink link) {
    try {
      link.server()
          .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort), 5000);
      link.server().setTcpNoDelay(true);
    } catch (IOException e) {
      // refused, as without a proxy
      link.reset();
      return;
    }
    thread("proxy-" + name + "-requests", link::forwardRequests);
    thread("proxy-" + name + "-answers", link::forwardAnswers);
  }

  /** All connections, and new ones until {@link #hear}, go silent. */
  void blackhole() {
    deaf = true;
    links.forEach(ProxyLink::silence);
  }

  /** New connections work again; silent ones stay silent, and those tried meanwhile fail. */
  void hear() {
    deaf = false;
    unanswered.forEach(ProxyLink::reset);
    unanswered.clear();
  }

  /** Resets the silent connections for which TCP would have given up by now. */
  void giveUp() {
    long now = System.nanoTime();
    links.forEach(link -> link.resetIfSilentSince(now - GIVE_UP_NANOS));
  }

  /** Resets all silent connections, when a run ends. */
  void giveUpAll() {
    long now = System.nanoTime();
    links.forEach(link -> link.resetIfSilentSince(now));
  }

  void cut() {
    links.forEach(ProxyLink::close);
  }

  void reset() {
    links.forEach(ProxyLink::reset);
  }

  void stallUntil(long nanos) {
    stalledUntil = nanos;
  }

  void loseCommits(int count) {
    commitsToLose.set(count);
  }

  void loseAnswers(int count) {
    answersToLose.set(count);
  }

  void cutLocks(int count) {
    locksToCut.set(count);
  }

  /** How many answers were lost or locks cut. */
  int hits() {
    return hits.get();
  }

  boolean takeCommit() {
    return take(commitsToLose);
  }

  boolean takeAnswer() {
    return take(answersToLose);
  }

  boolean takeLock() {
    return take(locksToCut);
  }

  private boolean take(AtomicInteger left) {
    boolean taken = left.get() > 0 && left.getAndDecrement() > 0;
    if (taken) {
      hits.incrementAndGet();
    }
    return taken;
  }

  void awaitStall() throws InterruptedException {
    for (long left = left(); left > 0; left = left()) {
      Thread.sleep(Math.max(1, left / 1_000_000));
    }
  }

  private long left() {
    return stalledUntil - System.nanoTime();
  }

  void gone(ProxyLink link) {
    links.remove(link);
  }

  static void thread(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    reset();
  }
}
