/** The parts of which `createApp` assembles the orchestrator: `acceptRuns` and the tests provide them. */
import type { Setting } from '@baton/api';
import type { Lifecycle, Logger, Metrics, Readiness, Tracing } from '@baton/boot';
import type { BudgetGuard, CheckThreads, ClaimRule, RetentionPeriods, Roles } from '@baton/control';
import type { IdentityProvider, TokenIssuer } from '@baton/oauth';
import type { ServersConfig } from '@baton/protocol';
import type { OpenQueue } from '@baton/queue';
import type { BoundSecrets, Bus, CallPace, Channels, Places, SharedClock, StoredHere } from '@baton/runner';
import type { Store, Vault } from '@baton/store';
import type { Servers } from '@baton/transports';

import type { DeviceTexts } from './devices/deviceTexts.ts';
import type { CatalogueChanges } from './gateway/catalogueChanges.ts';
import type { RateLimits } from './http/rates.ts';
import type { deviceRoutes } from './routes/servers/devices.ts';
import type { ServerOptions } from './routes/servers/servers.ts';

interface LogInProvider {
  readonly provider: IdentityProvider;
  /** Whom people ask who may do nothing yet. */
  readonly contact: string | undefined;
}

export interface AppParts {
  readonly store: Store;
  readonly clock: SharedClock;
  readonly vault: Vault;
  readonly secrets: BoundSecrets;
  readonly queue: OpenQueue;
  readonly bus: Bus & Channels;
  /** What drivers of this process store. */
  readonly stored: StoredHere;
  /** Where runs may begin at once in this process. Absent: nowhere. */
  readonly home?: Places;
  readonly config: ServersConfig;
  /** Folder of the server configuration: relative paths begin there. Absent: unknown. */
  readonly root?: string;
  readonly servers: Servers;
  /** For the calls of polls. Absent: no server has a rate. */
  readonly pace?: CallPace;
  readonly budgets: BudgetGuard;
  /** Announces servers whose tools changed. Absent: none is announced. */
  readonly changes?: CatalogueChanges | undefined;
  /** Announces servers whose configuration changed. Absent: it never changes. */
  readonly onDisk?: ServerOptions['onDisk'];
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly lifecycle: Pick<Lifecycle, 'onStop' | 'stopping'>;
  readonly version: string;
  /** Networks (CIDR) besides public addresses to which callbacks may go. Absent: none. */
  readonly callbackNetworks?: readonly string[];
  /** Whether clients may register themselves with the authorization server. Absent: no. */
  readonly mayRegister?: boolean;
  /** Where people log in. Absent: with links and keys alone. */
  readonly provider?: LogInProvider | undefined;
  /** Another authorization server, whose tokens are taken. Absent: Baton's own alone. */
  readonly tokenIssuer?: TokenIssuer | undefined;
  /** What claims of either give. Absent: nothing. */
  readonly claimRules?: readonly ClaimRule[];
  /** Whether clients of MCP may ask for runs as events. Absent: yes. */
  readonly hasEvents?: boolean;
  /** The host to listen on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
  /** The address by which workers and the CLI reach the API. */
  readonly innerUrl?: string | undefined;
  /** Trusted proxies, as addresses or CIDR: their `X-Forwarded-For` counts. Absent: none. */
  readonly trustedProxies?: readonly string[];
  /** Absent: the defaults. */
  readonly rateLimits?: Partial<RateLimits>;
  /** Unfinished runs that one key, schedule or hook may have. Absent: as in `limits`. */
  readonly runsMax?: number;
  /** Items that the `forEach` steps of one run may have. Absent: as in `limits`. */
  readonly itemsMax?: number;
  /** Absent: those of Baton. */
  readonly roles?: Roles;
  /** Runs that may wait for a worker. Absent: as in `limits`. */
  readonly queuedMax?: number;
  /** How long large values stay in the database before they go to BATON_VALUES; absent: for ever. */
  readonly valuesAfterMs?: number;
  /** How long to keep runs and records; absent: for ever. */
  readonly keep?: RetentionPeriods;
  /** The threads that check workflows. The caller closes them. Absent: the app starts its own. */
  readonly checkThreads?: CheckThreads;
  /** Absent: traces are not collected. */
  readonly tracing?: Tracing | undefined;
  /** The settings to show to people. Absent: none. */
  readonly settings?: readonly Setting[];
  /** The folder of the built page. Absent: the one in its room. */
  readonly pageFolder?: string;
  /** The address to listen on for devices. */
  readonly devices?: { readonly relay: Parameters<typeof deviceRoutes>[1]; readonly texts: DeviceTexts };
}
