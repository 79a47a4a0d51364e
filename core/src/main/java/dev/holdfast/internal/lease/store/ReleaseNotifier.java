package dev.holdfast.internal.lease.store;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Notifies other processes about releases, if the database can. */
interface ReleaseNotifier {
  /** For databases that cannot notify: waiters poll. */
  ReleaseNotifier NONE =
      new ReleaseNotifier() {
        @Override
        public void released(Connection connection, LeaseKey key, @Nullable UUID next) {}

        @Override
        public void revoked(Connection connection, LeaseKey key) {}

        @Override
        public LeaseStore.Subscription subscribe(LeaseStore.Listener listener) {
          return new LeaseStore.Subscription() {
            @Override
            public boolean isActive() {
              return false;
            }

            @Override
            public boolean isSupported() {
              return false;
            }

            @Override
            public void close() {}
          };
        }
      };

  /** Notifies the next waiter when the transaction of the connection commits. */
  void released(Connection connection, LeaseKey key, @Nullable UUID next) throws SQLException;

  /** Notifies all holders of a forced release when the transaction of the connection commits. */
  void revoked(Connection connection, LeaseKey key) throws SQLException;

  LeaseStore.Subscription subscribe(LeaseStore.Listener listener);
}
