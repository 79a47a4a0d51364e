package dev.holdfast.server;

import picocli.CommandLine.Command;

/** Says which Holdfast this is. */
@Command(name = "version", description = "say which version this is")
final class VersionCommand implements Runnable {
  @Override
  public void run() {
    for (String line : new Version().getVersion()) {
      System.out.println(line);
    }
  }
}
