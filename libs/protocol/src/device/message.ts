/** The JSON messages between devices and Baton (seed 000). */
import { type Json, type JsonObject, cleanText, isObject } from '@baton/primitives';

import { parameterSchema } from './parameterSchema.ts';

export interface DeviceService {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** A device's report on a call. `problem`: it reports neither success nor failure. */
export type DeviceOutcome =
  | { readonly data: Json | undefined }
  | { readonly error: string }
  | { readonly problem: string };

export type DeviceMessage =
  | {
      readonly type: 'register';
      /** Absent: the device gives no name. */
      readonly device: string | undefined;
      readonly token: string | undefined;
      /** By name, as they came: `readServices` reads them, when it is known who sent them. */
      readonly services: JsonObject;
    }
  | { readonly type: 'result'; readonly callId: string; readonly outcome: DeviceOutcome }
  | { readonly type: 'invalid'; readonly problem: string };

/** The pattern of server names in workflows. */
const deviceName = /^[A-Za-z0-9][\w.-]{0,62}$/;
/** The pattern of tool names in workflows. */
const serviceName = /^[^\s/\p{C}][^\s\p{C}]{0,127}$/u;
const forbiddenNames = new Set(['__proto__', 'prototype', 'constructor']);
const descriptionCharacters = 8_192;
const errorCharacters = 4_000;

export function readDeviceMessage(parsed: unknown): DeviceMessage {
  const message = parsed as Json;
  if (!isObject(message)) return invalid('A message is not an object.');
  const { type, data } = message;
  if (type !== 'register' && type !== 'result') return invalid('A message is neither of type "register" nor "result".');
  if (!isObject(data)) return invalid(`A message of type "${type}" has no "data".`);
  return type === 'register' ? register(data) : result(data);
}

export const callMessage = (callId: string, method: string, params: JsonObject): JsonObject => ({
  type: 'call',
  data: { call_id: callId, method, params },
});

/** Not in the seed, which has no errors: why Baton refused a message of the device. */
export const errorMessage = (code: string, message: string): JsonObject => ({ type: 'error', data: { code, message } });

const invalid = (problem: string): DeviceMessage => ({ type: 'invalid', problem });

function register({ device, token, services }: JsonObject): DeviceMessage {
  if (device !== undefined && (typeof device !== 'string' || !deviceName.test(device))) {
    return invalid('The name of the device is not one of letters, digits, "_", "-" and ".", at most 63 of them.');
  }
  if (token !== undefined && typeof token !== 'string') return invalid('The token is not a text.');
  if (!isObject(services)) return invalid('A registration names no "services".');
  return { type: 'register', device, token, services };
}

export interface DeviceServices {
  readonly services: readonly DeviceService[];
  /** Services that are left out, and why. Sentences. */
  readonly problems: readonly string[];
}

/** Compiles every schema to test it, which takes some milliseconds each. */
export function readServices(services: JsonObject): DeviceServices {
  const read = Object.entries(services).map(([name, service]) => readService(name, service));
  return {
    services: read.filter((one) => typeof one !== 'string'),
    problems: read.filter((one) => typeof one === 'string'),
  };
}

/** A sentence says why it is no service. */
function readService(name: string, service: Json): DeviceService | string {
  const shown = `The service "${cleanText(name, 80)}" is left out:`;
  if (!serviceName.test(name) || forbiddenNames.has(name)) return `${shown} no workflow can name it.`;
  if (!isObject(service)) return `${shown} it is not described by an object.`;
  const { description = '', parameters } = service;
  if (typeof description !== 'string') return `${shown} its description is not a text.`;
  const read = parameterSchema(parameters);
  if ('problem' in read) return `${shown} ${read.problem.replace(/\.?$/, '.')}`;
  return { name, description: cleanText(description, descriptionCharacters), inputSchema: read.schema };
}

function result(data: JsonObject): DeviceMessage {
  const { call_id: callId, result: said } = data;
  if (typeof callId !== 'string') return invalid('A result has no "call_id".');
  return { type: 'result', callId, outcome: outcomeOf(said) };
}

function outcomeOf(said: Json | undefined): DeviceOutcome {
  if (!isObject(said)) return { problem: 'its "result" is not an object' };
  const { success, data, error = '' } = said;
  if (success === true) return { data };
  if (success !== false) return { problem: '"success" is neither true nor false' };
  const text = typeof error === 'string' ? error : JSON.stringify(error);
  return { error: cleanText(text, errorCharacters) };
}
