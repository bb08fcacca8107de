/** The role *accept*: takes runs in over REST, MCP and by triggers, and tends the installation. */
import { ensureAdminKey, Roles } from '@baton/control';
import { type Installation, openStatus } from '@baton/control/installation';
import { deviceRelay, deviceRelayKey } from '@baton/devices';
import { IdentityProvider, TokenIssuer } from '@baton/oauth';
import { defined } from '@baton/primitives';

import { createApp } from './app.ts';
import type { AppParts } from './appParts.ts';
import { checkExposure } from './bindPolicy.ts';
import { DeviceTexts } from './devices/deviceTexts.ts';
import { CatalogueChanges } from './gateway/catalogueChanges.ts';
import { closerOf } from './http/closing.ts';
import { listen } from './listen.ts';
import { callbackPath } from './routes/servers/serverLogin.ts';

/**
 * Resolves to what the process tells its supervisor when it is ready: requests are answered then. The lifecycle stops
 * what it starts. Rejects with `StartError`.
 */
export async function acceptRuns(installation: Installation): Promise<Readonly<Record<string, unknown>>> {
  const { service, store, sessions } = installation;
  const { settings, log } = service;
  const { BATON_HOST: host, BATON_PORT: port, BATON_PUBLIC_URL: publicUrl, BATON_ADMIN_KEY: givenKey } = settings;
  const exposed = { host, publicUrl, adminKey: givenKey };
  for (const note of await checkExposure(store, exposed)) log.warn(note);
  const adminKey = await ensureAdminKey(store, { given: givenKey, dataFolder: settings.BATON_DATA });
  if (adminKey.kind === 'given-revoked') log.warn('BATON_ADMIN_KEY was revoked: set another one');
  const lifecycle = service.lifecycle.branch();
  const app = await createApp({ ...partsOf(installation), lifecycle });
  // A process that also drives opens it with the state of that role.
  const status = installation.roles.includes('drive') ? {} : await openStatus(installation, lifecycle);
  const door = closerOf(app);
  const address = await listen(app, { host, port });
  // The login address is known once the port is.
  sessions.returnLoginsTo(`${(publicUrl ?? address).replace(/\/$/, '')}${callbackPath}`);
  // The rest of the grace time is for requests in progress.
  lifecycle.onStop('api', (graceMs) => door.close(graceMs / 2));
  log.info({ url: address }, `the ${service.name} is ready`);
  if (adminKey.kind === 'made' && !process.connected) {
    process.stderr.write(`The admin key, shown only once: ${adminKey.text}\nIt is stored in ${adminKey.file}\n`);
  }
  return {
    url: address,
    ...status,
    ...defined({ devicePort: sessions.devices?.port }),
    ...(adminKey.kind === 'made' ? { adminKey: adminKey.text } : {}),
  };
}

function partsOf(installation: Installation): Omit<AppParts, 'lifecycle'> {
  const {
    service,
    store,
    clock,
    vault,
    secrets,
    queue,
    bus,
    stored,
    home,
    metrics,
    readiness,
    sessions,
    pace,
    budgets,
  } = installation;
  const { settings, described, log, tracing, version } = service;
  const { config, root } = service.servers;
  const changes = new CatalogueChanges();
  sessions.onCatalogueChanged(changes.tell);
  return {
    store,
    clock,
    vault,
    secrets,
    queue,
    bus,
    stored,
    home,
    config,
    root,
    servers: sessions.servers,
    pace,
    budgets,
    changes,
    onDisk: () => service.serversOnDisk.look(),
    log,
    metrics,
    readiness,
    version,
    host: settings.BATON_HOST,
    publicUrl: settings.BATON_PUBLIC_URL,
    runsMax: settings.BATON_KEY_RUNS,
    itemsMax: settings.BATON_KEY_ITEMS,
    rateLimits: { checksPerMinute: settings.BATON_KEY_CHECKS },
    trustedProxies: settings.BATON_TRUSTED_PROXIES,
    callbackNetworks: settings.BATON_CALLBACK_NETWORKS,
    hasEvents: settings.BATON_EVENTS === 'on',
    mayRegister: settings.BATON_OAUTH_DCR === 'on',
    innerUrl: settings.BATON_URL,
    roles: new Roles(settings.BATON_ROLES),
    provider: providerOf(settings),
    tokenIssuer: settings.BATON_OAUTH_ISSUER === undefined ? undefined : new TokenIssuer(settings.BATON_OAUTH_ISSUER),
    claimRules: settings.BATON_OIDC_GRANTS,
    valuesAfterMs: settings.BATON_VALUES_AFTER,
    keep: { runsMs: settings.BATON_KEEP_RUNS, recordsMs: settings.BATON_KEEP_RECORDS },
    tracing,
    settings: described.map(({ value, ...rest }) => ({ ...rest, ...defined({ value }) })),
    ...defined({ devices: devicesOf(installation) }),
  };
}

function providerOf(settings: Installation['service']['settings']): AppParts['provider'] {
  const { BATON_OIDC_ISSUER: issuer, BATON_OIDC_CLIENT_ID: clientId } = settings;
  const { BATON_OIDC_CLIENT_SECRET: clientSecret, BATON_OIDC_CONTACT: contact } = settings;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { provider: new IdentityProvider({ issuer, clientId, clientSecret }), contact };
}

function devicesOf({ service, sessions }: Installation): AppParts['devices'] {
  const { devices } = sessions;
  if (devices === undefined) return undefined;
  const texts = new DeviceTexts();
  sessions.answerTexts((...text) => texts.answer(...text));
  return { relay: deviceRelay(devices, deviceRelayKey(service.secretKey)), texts };
}
