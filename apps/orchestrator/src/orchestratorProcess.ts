/**
 * The orchestrator: accepts runs over REST and from triggers, shows them, and wakes runs that no worker drives.
 * Any number of orchestrators share one Postgres. None leads, and none holds state that another could not rebuild.
 */
import { Metrics, StartError, startService } from '@baton/boot';
import { ensureAdminKey, refusals } from '@baton/control';
import { openInstallation, openSessions } from '@baton/control/installation';
import { deviceRelay, deviceRelayKey, openDevices } from '@baton/devices';
import { FailureError } from '@baton/engine';
import { defined } from '@baton/primitives';
import { storedAuthorizations } from '@baton/store';
import type { OAuthOptions } from '@baton/transports';

import manifest from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import { checkExposure } from './bindPolicy.ts';
import { DeviceTexts } from './devices/deviceTexts.ts';
import { CatalogueChanges } from './gateway/catalogueChanges.ts';
import { closerOf } from './http/closing.ts';
import { listen } from './listen.ts';
import { callbackPath } from './routes/servers/serverLogin.ts';

const { version } = manifest;
const service = await startService('orchestrator', { version, env: process.env });
const { settings, described, log, known, lifecycle, tracing, secretKey } = service;
const { config, root } = service.servers;
const installation = await openInstallation(service, ['accept']);
const { store, clock, queue, bus, vault } = installation;
const texts = new DeviceTexts();
const devices =
  settings.BATON_DEVICE_PORT === undefined
    ? undefined
    : await openDevices({
        host: settings.BATON_HOST,
        port: settings.BATON_DEVICE_PORT,
        ...defined({ token: settings.BATON_DEVICE_TOKEN }),
        onText: (...text) => texts.answer(...text),
        now: () => clock.now(),
        known,
        isReserved: (name) => config.servers.has(name),
        onTrouble: (trouble) => log.warn(trouble, 'a message of a device was refused'),
      }).catch((error: unknown) => {
        if (!(error instanceof FailureError)) throw error;
        throw new StartError(`${error.message} Set BATON_DEVICE_PORT, BATON_DEVICE_TOKEN or BATON_HOST.`, {
          cause: error,
        });
      });
const metrics = new Metrics();
// The login address is known once the port is.
const oauth: { -readonly [key in keyof OAuthOptions]: OAuthOptions[key] } = {
  store: storedAuthorizations(store, vault, 'orchestrator'),
};
const changes = new CatalogueChanges();
const servers = openSessions(service, installation, {
  environment: process.env,
  version,
  handlers: refusals,
  oauth,
  metrics,
  onCatalogueChanged: changes.tell,
  ...defined({ devices }),
});

const { BATON_HOST: host, BATON_PORT: port, BATON_PUBLIC_URL: publicUrl } = settings;
const exposed = { host, publicUrl, adminKey: settings.BATON_ADMIN_KEY };
for (const note of await checkExposure(store, exposed)) log.warn(note);
const adminKey = await ensureAdminKey(store, { given: settings.BATON_ADMIN_KEY, dataFolder: settings.BATON_DATA });
if (adminKey.kind === 'given-revoked') log.warn('BATON_ADMIN_KEY was revoked: set another one');
const app = await createApp({
  store,
  clock,
  vault,
  queue,
  bus,
  config,
  root,
  servers,
  changes,
  onDisk: () => service.serversOnDisk.look(),
  log,
  metrics,
  lifecycle,
  version,
  host,
  publicUrl,
  runsMax: settings.BATON_KEY_RUNS,
  itemsMax: settings.BATON_KEY_ITEMS,
  rateLimits: { checksPerMinute: settings.BATON_KEY_CHECKS },
  trustedProxies: settings.BATON_TRUSTED_PROXIES,
  callbackNetworks: settings.BATON_CALLBACK_NETWORKS,
  innerUrl: settings.BATON_URL,
  keep: { runsMs: settings.BATON_KEEP_RUNS, recordsMs: settings.BATON_KEEP_RECORDS },
  tracing,
  settings: described.map(({ value, ...rest }) => ({ ...rest, ...defined({ value }) })),
  ...(devices === undefined ? {} : { devices: { relay: deviceRelay(devices, deviceRelayKey(secretKey)), texts } }),
});
const door = closerOf(app);
const address = await listen(app, { host, port });
oauth.redirectUrl = `${(publicUrl ?? address).replace(/\/$/, '')}${callbackPath}`;
// The rest of the grace time is for requests in progress.
lifecycle.onStop('api', (graceMs) => door.close(graceMs / 2));
log.info({ url: address }, 'the orchestrator is ready');
if (adminKey.kind === 'made' && !process.connected) {
  process.stderr.write(`The admin key, shown only once: ${adminKey.text}\nIt is stored in ${adminKey.file}\n`);
}
lifecycle.ready({
  url: address,
  ...(devices === undefined ? {} : { devicePort: devices.port }),
  ...(adminKey.kind === 'made' ? { adminKey: adminKey.text } : {}),
});
