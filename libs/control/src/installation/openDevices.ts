/** Opens the devices of a process: where it accepts runs they connect to it, elsewhere it calls them through another. */
import { type Service, StartError } from '@baton/boot';
import {
  type Devices,
  type DevicesOptions,
  deviceRelayKey,
  openDevices as listenForDevices,
  relayedDevices,
} from '@baton/devices';
import { FailureError } from '@baton/engine';
import { defined } from '@baton/primitives';
import type { ServerGroup, SharedClock } from '@baton/runner';
import { HttpClient } from '@baton/transports';

const anywhere = ['0.0.0.0/0', '::/0'];

/** Undefined where no port for devices is configured. Rejects with `StartError`. */
export async function devicesHere(
  { settings, servers, known, log }: Service,
  clock: SharedClock,
  onText: DevicesOptions['onText'],
): Promise<Devices | undefined> {
  const { BATON_HOST: host, BATON_DEVICE_PORT: port, BATON_DEVICE_TOKEN: token } = settings;
  if (port === undefined) return undefined;
  return listenForDevices({
    host,
    port,
    ...defined({ token }),
    onText,
    now: () => clock.now(),
    known,
    isReserved: (name) => servers.config.servers.has(name),
    onTrouble: (trouble) => log.warn(trouble, 'a message of a device was refused'),
  }).catch((error: unknown) => {
    if (!(error instanceof FailureError)) throw error;
    throw new StartError(`${error.message} Set BATON_DEVICE_PORT, BATON_DEVICE_TOKEN or BATON_HOST.`, { cause: error });
  });
}

/** Undefined where no port for devices is configured. */
export function devicesElsewhere({ settings, secretKey }: Service): ServerGroup | undefined {
  if (settings.BATON_DEVICE_PORT === undefined) return undefined;
  return relayedDevices({
    url: new URL('/internal/devices', settings.BATON_URL ?? `http://127.0.0.1:${settings.BATON_PORT}`).href,
    key: deviceRelayKey(secretKey),
    // That is a process of this installation, so every address is allowed.
    openHttp: (limits) => new HttpClient({ ...limits, addresses: { loopback: true, networks: anywhere } }),
  });
}
