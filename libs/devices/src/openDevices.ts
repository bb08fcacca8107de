/** Listens for devices (seed 000, over TCP), and offers each registered device as a server of the same name. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

import { FailureError } from '@baton/engine';
import { isLoopbackHost } from '@baton/primitives';
import { readServices } from '@baton/protocol';
import { type ServerGroup, KnownSecrets } from '@baton/runner';

import { Device } from './device.ts';
import { deviceCallsOver } from './deviceCallsOver.ts';
import { DeviceConnection, type ConnectionHost, type DeviceRefusal, type Registration } from './deviceConnection.ts';
import { defaultLimits, type DeviceLimits } from './limits.ts';
import type { TextHandler } from './textTasks.ts';

export interface DevicesOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The token that every device must send. Absent: devices need none, and `host` must be a loopback address. */
  readonly token?: string;
  readonly onText: TextHandler;
  /** The shared time, epoch milliseconds. */
  readonly now: () => number;
  /** The secrets that are removed from everything that devices send. */
  readonly known?: KnownSecrets;
  /** Names that no device may use: the configured servers. */
  readonly isReserved?: (name: string) => boolean;
  /** Called when a device connects, disconnects, or changes its services. */
  readonly onCatalogueChanged?: (device: string) => void;
  /** Called when a message of a device is refused. */
  readonly onTrouble?: (trouble: { device: string | undefined; address: string; problem: string }) => void;
  /** Replaces the default limits. */
  readonly limits?: Partial<DeviceLimits>;
}

/** `names` includes disconnected devices. */
export interface Devices extends ServerGroup {
  /** The port that it listens on. */
  readonly port: number;
}

/** Rejects with `FailureError` if it cannot listen, or if a token is required and missing. */
export async function openDevices(options: DevicesOptions): Promise<Devices> {
  const { host, port, token } = options;
  if ((token === undefined || token === '') && !isLoopbackHost(host)) {
    const message = `Devices from other machines need a token, and none is set (the address is ${host.slice(0, 80)}).`;
    throw new FailureError('invalid-arguments', message);
  }
  const registry = new Registry(options);
  const listener = createServer((socket) => registry.add(socket));
  listener.maxConnections = registry.limits.connections;
  await listen(listener, host, port);
  return {
    port: (listener.address() as AddressInfo).port,
    calls: deviceCallsOver((name) => registry.deviceNamed(name)),
    get names() {
      return registry.names;
    },
    catalogue: async (name) => registry.deviceNamed(name).catalogue(),
    status: () => registry.status(),
    async close() {
      const closed = once(listener, 'close');
      listener.close();
      registry.close();
      await closed;
    },
  };
}

async function listen(listener: Server, host: string, port: number): Promise<void> {
  listener.listen(port, host);
  await once(listener, 'listening').catch((error: unknown) => {
    const message = `Baton cannot listen for devices on ${host}:${port}: ${(error as Error).message}.`;
    throw new FailureError('server-unreachable', message, { cause: error });
  });
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

class Registry implements ConnectionHost {
  readonly limits: DeviceLimits;
  readonly onText: TextHandler;
  readonly known: KnownSecrets;
  readonly #options: DevicesOptions;
  readonly #token: Buffer | undefined;
  readonly #connections = new Set<DeviceConnection>();
  /** In order of their first connection; includes disconnected ones. */
  readonly #devices = new Map<string, Device>();
  #unnamed = 0;

  constructor(options: DevicesOptions) {
    this.limits = { ...defaultLimits, ...options.limits };
    this.known = options.known ?? new KnownSecrets();
    this.onText = async (device, taskId, text) => options.onText(device, taskId, this.known.redactor.text(text));
    this.#options = options;
    this.#token = options.token === undefined || options.token === '' ? undefined : digestOf(options.token);
  }

  get requiresToken(): boolean {
    return this.#token !== undefined;
  }

  get names(): readonly string[] {
    return [...this.#devices.keys()];
  }

  /** Throws `FailureError` for an unknown device, which may connect later. */
  deviceNamed(name: string): Device {
    const device = this.#devices.get(name);
    if (device !== undefined) return device;
    const message = `No server "${name.slice(0, 80)}" is configured, and no device of that name is connected.`;
    throw new FailureError('server-unreachable', message, { delivery: 'unsent' });
  }

  status(): ReturnType<ServerGroup['status']> {
    return [...this.#devices.values()].map((device) => device.status());
  }

  add(socket: ConstructorParameters<typeof DeviceConnection>[1]): void {
    const connection = new DeviceConnection(`device-${randomUUID()}`, socket, this);
    this.#connections.add(connection);
    socket.on('close', () => this.#connections.delete(connection));
  }

  register(connection: DeviceConnection, registration: Registration): DeviceRefusal | readonly string[] {
    const { token, device: wanted } = registration;
    const isKnown = this.#token === undefined || timingSafeEqual(this.#token, digestOf(token ?? ''));
    if (!isKnown) return { code: 'unauthorized', problem: 'The token is not the right one.', isFatal: true };
    if (connection.device === undefined) {
      const refusal = wanted === undefined ? undefined : this.#refusalOf(wanted);
      if (refusal !== undefined) return refusal;
      this.#assign(connection, wanted ?? this.#freeName(), wanted !== undefined);
    } else if (wanted !== undefined && wanted !== connection.device) {
      const problem = `This connection belongs to the device "${connection.device}" already.`;
      return { code: 'device-renamed', problem, isFatal: false };
    }
    return this.#addServices(connection, registration);
  }

  introduce(connection: DeviceConnection): string {
    const name = this.#freeName();
    this.#assign(connection, name, false);
    return name;
  }

  onClosed(connection: DeviceConnection): void {
    const device = this.#devices.get(connection.device ?? '');
    if (device?.connection !== connection) return;
    device.leave(this.#options.now());
    // Its generated name was valid for this connection only.
    if (!device.isNamed) this.#devices.delete(device.name);
    this.#options.onCatalogueChanged?.(device.name);
  }

  onTrouble({ device, address }: DeviceConnection, problem: string): void {
    this.#options.onTrouble?.({ device, address, problem });
  }

  close(): void {
    for (const connection of this.#connections) connection.close('The listener for devices was closed');
  }

  #refusalOf(name: string): DeviceRefusal | undefined {
    if (this.#options.isReserved?.(name) === true) {
      return { code: 'device-reserved', problem: `No device can be called "${name}".`, isFatal: true };
    }
    const other = this.#devices.get(name)?.connection;
    if (other === undefined) return undefined;
    // The same device may have reconnected before the end of its old connection was noticed.
    other.probe();
    const problem = `A device "${name}" is connected already. If it is this one, try again soon.`;
    return { code: 'device-taken', problem, isFatal: true };
  }

  #assign(connection: DeviceConnection, name: string, isItsOwn: boolean): void {
    const device = this.#devices.get(name) ?? new Device(name, isItsOwn);
    this.#devices.delete(name);
    this.#devices.set(name, device);
    connection.device = name;
    device.arrive(connection);
    this.#forget();
  }

  #addServices({ device: name = '' }: DeviceConnection, registration: Registration): DeviceRefusal | readonly string[] {
    const device = this.deviceNamed(name);
    const names = new Set([...device.services.keys(), ...Object.keys(registration.services)]);
    if (names.size > this.limits.services) {
      const problem = `A device has at most ${this.limits.services} services, and this would make ${names.size}.`;
      return { code: 'too-many-services', problem, isFatal: false };
    }
    const read = readServices(registration.services);
    device.register(read);
    this.#options.onCatalogueChanged?.(name);
    return read.problems;
  }

  #freeName(): string {
    for (;;) {
      const name = `device-${++this.#unnamed}`;
      if (!this.#devices.has(name) && this.#options.isReserved?.(name) !== true) return name;
    }
  }

  /** Forgets the devices that disconnected first. */
  #forget(): void {
    const away = [...this.#devices.values()].filter(({ connection }) => connection === undefined);
    for (const { name } of away.slice(0, Math.max(0, away.length - this.limits.remembered))) this.#devices.delete(name);
  }
}
