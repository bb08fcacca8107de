/**
 * Reads a line of an export. Who made the export may have tampered with it, so each member that the verifier computes
 * with is checked here; what it says is checked by hashes.
 */
import { type JsonObject, isObject } from '@baton/primitives';

import type { AuditEnd, AuditRecord } from './record.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
/** Columns of the database that count are 32 bits wide. */
const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31;
const isTime: Check = (value) => Number.isSafeInteger(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isObjectOf =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, check]) => check(value[name]));

const begun = isObjectOf({ entry: isCount, at: isTime, records: isCount });
const excerpt = isObjectOf({ entries: isCount, entryHash: isText, seals: isCount, sealHash: isText });
const sealedRun = isObjectOf({ id: isText, seal: isCount, place: isCount, seq: isCount, head: isText });
const unsealedRun = isObjectOf({ id: isText, seal: (value) => value === null });

const shapeOf: Readonly<Record<(AuditRecord | AuditEnd)['type'], Check>> = {
  manifest: isObjectOf({
    at: isTime,
    entries: isCount,
    seals: isCount,
    sealHash: isText,
    publicKey: orAbsent(isText),
    begun: orAbsent(begun),
    from: orAbsent(excerpt),
  }),
  entry: isObjectOf({
    seq: isCount,
    at: isTime,
    by: isText,
    action: isText,
    target: isText,
    detail: isText,
    hash: isText,
    mark: orNull(isText),
  }),
  seal: isObjectOf({
    number: isCount,
    at: isTime,
    runs: isCount,
    root: isText,
    entries: isCount,
    entryHash: isText,
    hash: isText,
    begun: orNull(begun),
    signature: orNull(isText),
    key: orNull(isText),
  }),
  run: (value) => sealedRun(value) || unsealedRun(value),
  event: isObjectOf({
    runId: isText,
    seq: isCount,
    at: isTime,
    event: isText,
    data: isText,
    hash: isText,
    mark: orNull(isText),
  }),
  end: isObjectOf({ records: isTime, digest: isText }),
};

const shapes = new Map<string, Check>(Object.entries(shapeOf));

/** Undefined where the line is no record. */
export function readRecord(line: string): AuditRecord | AuditEnd | undefined {
  const value = jsonIn(line);
  const shape = isObject(value) ? shapes.get(String(value['type'])) : undefined;
  return shape?.(value) === true ? (value as AuditRecord | AuditEnd) : undefined;
}

/** The object in the detail of an entry; undefined where it is none, as Baton never writes it. */
export function detailIn(detail: string): JsonObject | undefined {
  const value = jsonIn(detail);
  return isObject(value) ? (value as JsonObject) : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
