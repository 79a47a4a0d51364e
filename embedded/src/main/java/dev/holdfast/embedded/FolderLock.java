package dev.holdfast.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** That one process has a data folder. However it ends, the kernel lets go of the lock. */
final class FolderLock implements AutoCloseable {
  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  static FolderLock take(Path folder) throws IOException {
    Path file = file(folder);
    FileChannel channel =
        FileChannel.open(file, Set.of(CREATE, READ, WRITE), DataFolder.FILE_OF_THE_USER);
    boolean taken = false;
    try {
      taken = lock(channel) != null;
      if (!taken) {
        String holder = Files.readString(file).strip();
        throw EmbeddedException.inUse(
            "the data in %s must be used by one Holdfast at a time, and is by the process %s: stop it, or give another folder, or one database to both"
                .formatted(folder, holder));
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)));
      return new FolderLock(channel);
    } finally {
      if (!taken) {
        channel.close();
      }
    }
  }

  static boolean isTaken(Path folder) throws IOException {
    if (!Files.exists(file(folder))) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file(folder), READ, WRITE)) {
      return lock(channel) == null;
    }
  }

  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // by this JVM
    }
  }

  private static Path file(Path folder) {
    return folder.resolve("lock");
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
