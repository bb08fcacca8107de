/** For the matrix: the types of features and of their checks. */
import type { Devices } from '@baton/devices';
import type { TestDevice } from '@baton/devices/testing';
import type { JsonObject } from '@baton/primitives';
import type { CallContext } from '@baton/runner';
import { callContext } from '@baton/testing';

import type { ServersOptions } from '../../server/servers.ts';
import { textOf, type TestServers } from '../testServers.ts';
import type { ServerName } from './columns.ts';

/** One server over one transport. Its name in the configuration is `it`. */
export interface CellUse {
  readonly it: TestServers;
  /** Opens the server again with this under `baton`; closed when the test ends. */
  readonly open: (baton?: object, options?: Partial<ServersOptions>) => TestServers;
}

export interface DeviceUse {
  readonly it: TestServers;
  readonly devices: Devices;
  readonly device: TestDevice;
}

export type CellCheck<U> = (use: U) => Promise<void>;

/** The revision has no such feature. A check can still test the answer to a caller that wants it. */
export interface AbsentFeature<U> {
  readonly why: string;
  readonly check: CellCheck<U> | undefined;
}

export type Cell<U> = CellCheck<U> | AbsentFeature<U>;

export interface Feature extends Readonly<Record<Exclude<ServerName, 'device'>, Cell<CellUse>>> {
  /** The check for every server over plain HTTP. */
  readonly plain?: Cell<CellUse>;
  readonly device: Cell<DeviceUse>;
}

export const absent = <U>(why: string, check?: CellCheck<U>): AbsentFeature<U> => ({ why, check });

/** A feature that came with a later revision. */
export const since = (revision: string, check?: CellCheck<CellUse>): AbsentFeature<CellUse> =>
  absent(`came with ${revision}`, check);

/** The text of an answer. */
export const said = async ({ it }: Pick<CellUse, 'it'>, tool: string, args: JsonObject = {}): Promise<string> =>
  textOf(await it.call('it', tool, args));

/** The content types of an answer. */
export async function kinds({ it }: CellUse, tool: string, args: JsonObject = {}): Promise<unknown[]> {
  const { content } = (await it.call('it', tool, args)).result as { content: { type: string }[] };
  return [...new Set(content.map(({ type }) => type))].toSorted();
}

export const getPrompt = ({ calls }: TestServers, prompt: string, args: JsonObject = {}): Promise<JsonObject> =>
  calls.getPrompt({ server: 'it', prompt, arguments: args }, callContext()).then(({ result }) => result);

export const readResource = ({ calls }: TestServers, uri: string, args: JsonObject = {}): Promise<JsonObject> =>
  calls.readResource({ server: 'it', uri, arguments: args }, callContext()).then(({ result }) => result);

/** Calls the device, and lets it answer with `result`. */
export async function answered({ it, device }: DeviceUse, result: unknown, context: Partial<CallContext> = {}) {
  const called = it.call('it', 'open', { speed: 2 }, context);
  called.catch(() => {});
  device.answer((await device.nextCall()).id, result);
  return called;
}
