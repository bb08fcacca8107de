import type { ClientConfig } from 'pg';
import { Client } from 'pg';

/**
 * A connection whose loss never ends the process. Postgres may end a connection in the same packet in which it accepts it
 * (57P01, at a restart); `pg` emits the error before the code that waits for the connection can listen for it. The
 * connection is not usable then, and its next query is rejected.
 */
export class GuardedClient extends Client {
  constructor(config?: ClientConfig | string) {
    super(config);
    this.on('error', () => undefined);
  }
}
