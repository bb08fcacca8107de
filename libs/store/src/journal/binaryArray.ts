/**
 * Array parameters in Postgres's binary form, without quoting and parsing: a fifth more rows per second than the text
 * form that `pg` makes of a JavaScript array, for two thirds of the CPU.
 *
 * Source: array_recv in PostgreSQL's arrayfuncs.c. Dimensions, a flag for nulls, the element type's oid, then for the
 * one dimension its length and lower bound, and each element as its length (-1: null) and its bytes.
 */
import { invariant } from '@baton/engine';

/** Writes one element at `at`, where `sizeOf` said how much room it takes. */
interface Codec<Value> {
  readonly oid: number;
  readonly sizeOf: (value: Value) => number;
  readonly write: (into: Buffer, value: Value, at: number) => void;
}

const headerBytes = 20;

const arrayOf =
  <Value>({ oid, sizeOf, write }: Codec<Value>) =>
  (values: readonly (Value | undefined)[]): Buffer => {
    // Counting the bytes of a large text takes a third as long as writing it.
    const sizes = values.map((value) => (value === undefined ? -1 : sizeOf(value)));
    let bytes = headerBytes;
    for (const size of sizes) bytes += 4 + Math.max(0, size);
    const into = Buffer.allocUnsafe(bytes);
    into.writeInt32BE(1, 0);
    into.writeInt32BE(1, 4);
    into.writeInt32BE(oid, 8);
    into.writeInt32BE(values.length, 12);
    into.writeInt32BE(1, 16);
    let at = headerBytes;
    for (const [index, value] of values.entries()) {
      const size = sizes[index] ?? -1;
      at = into.writeInt32BE(size, at);
      if (value === undefined) continue;
      write(into, value, at);
      at += size;
    }
    return into;
  };

const utf8 = (oid: number): Codec<string> => ({
  oid,
  sizeOf: (value) => Buffer.byteLength(value),
  write: (into, value, at) => into.write(value, at, 'utf8'),
});

export const texts = arrayOf(utf8(25));
export const jsons = arrayOf(utf8(114));

export const uuids = arrayOf<string>({
  oid: 2950,
  sizeOf: () => 16,
  write: (into, value, at) => into.write(value.replaceAll('-', ''), at, 'hex'),
});

/** From hexadecimal text. */
export const byteas = arrayOf<string>({
  oid: 17,
  sizeOf: (value) => value.length / 2,
  write: (into, value, at) => into.write(value, at, 'hex'),
});

export const byteaTexts = arrayOf<string>({ ...utf8(17) });

export const ints = arrayOf<number>({
  oid: 23,
  sizeOf: () => 4,
  write: (into, value, at) => into.writeInt32BE(value, at),
});

/** Instants, in epoch milliseconds. */
export const bigints = arrayOf<number>({
  oid: 20,
  sizeOf: () => 8,
  write: (into, value, at) => {
    const whole = Math.round(value);
    invariant(Number.isSafeInteger(whole), `${value} is no instant`);
    const high = Math.floor(whole / 2 ** 32);
    into.writeUInt32BE(whole - high * 2 ** 32, into.writeInt32BE(high, at));
  },
});

export const doubles = arrayOf<number>({
  oid: 701,
  sizeOf: () => 8,
  write: (into, value, at) => into.writeDoubleBE(value, at),
});

export const booleans = arrayOf<boolean>({
  oid: 16,
  sizeOf: () => 1,
  write: (into, value, at) => into.writeUInt8(Number(value), at),
});
