/**
 * Merkle trees as in RFC 9162, section 2.1.1: leaves and nodes are hashed with different prefixes, so that neither can be
 * taken for the other.
 */
import { createHash } from 'node:crypto';

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const leafMark = Buffer.from([0]);
const nodeMark = Buffer.from([1]);

/** Hexadecimal. */
export function merkleRoot(leaves: readonly (string | Buffer)[]): string {
  return rootOf(leaves.map((leaf) => sha256(leafMark, leaf))).toString('hex');
}

function rootOf(nodes: readonly Buffer[]): Buffer {
  const [first] = nodes;
  if (first === undefined) return sha256();
  if (nodes.length === 1) return first;
  // The largest power of two below the count.
  const middle = 2 ** Math.ceil(Math.log2(nodes.length) - 1);
  return sha256(nodeMark, rootOf(nodes.slice(0, middle)), rootOf(nodes.slice(middle)));
}
