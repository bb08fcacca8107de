/**
 * Devices: programs that connect to Baton over TCP (seed 000) and offer services, as servers offer tools.
 *
 *   openDevices(options)           listens for devices, which are servers like the others
 *   deviceRelay, relayedDevices    let a worker call devices that are connected to another process
 *
 * A call is sent at most once, and every failure says how far the call got. Any program that reaches the port can claim
 * to be a device, so all input has limits. This room knows no workflow, and never decides whether a call is repeated.
 */
export { openDevices, type Devices, type DevicesOptions } from './openDevices.ts';
export { deviceRelay, type RelayReply, type RelayRequest } from './relay/deviceRelay.ts';
export { relayedDevices } from './relay/relayedDevices.ts';
export { deviceRelayKey } from './relay/relayMessage.ts';
