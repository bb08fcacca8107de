/**
 * Devices: programs that connect to Baton over TCP (seed 000) and offer services, as servers offer tools.
 *
 *   openDevices(options)           listens for devices, which are servers like the others
 *   deviceRelay, relayedDevices    the two ends of the way from a worker to devices that another process listens for
 *
 * A call is sent at most once, and every failure says how far the call got. Anyone who reaches the port can pretend to
 * be a device: everything that comes in has a limit. This room knows no workflow, and never decides whether a call is
 * repeated.
 */
export { openDevices } from './openDevices.ts';
export type { Devices, DevicesOptions } from './openDevices.ts';
export { deviceRelay } from './relay/deviceRelay.ts';
export type { RelayReply, RelayRequest } from './relay/deviceRelay.ts';
export { relayedDevices } from './relay/relayedDevices.ts';
export { deviceRelayKey } from './relay/relayMessage.ts';
