/**
 * A claim that makes a tool look safer counts only if the tool made it when this process first saw it: a server in use
 * cannot turn a tool that writes into one that "only reads" by claiming it. A withdrawn claim counts at once. The
 * digests cover the server's own claims, so a change is still reported as drift.
 */
import type { Tool } from '@baton/protocol';

const safetyHints = ['readOnlyHint', 'idempotentHint'] as const;
const toolsMax = 10_000;

export class FirstHints {
  /** By tool: the hints that it did not claim when this process first saw it. */
  readonly #unclaimed = new Map<string, readonly (typeof safetyHints)[number][]>();

  heldTo(tools: readonly Tool[]): readonly Tool[] {
    return tools.map((tool) => {
      const { name, annotations = {} } = tool;
      const known = this.#unclaimed.get(name);
      if (known === undefined && this.#unclaimed.size < toolsMax) {
        this.#unclaimed.set(
          name,
          safetyHints.filter((hint) => annotations[hint] !== true),
        );
      }
      const isUnknown = !this.#unclaimed.has(name);
      const late = (known ?? (isUnknown ? safetyHints : [])).filter((hint) => annotations[hint] === true);
      if (late.length === 0) return tool;
      return { ...tool, annotations: { ...annotations, ...Object.fromEntries(late.map((hint) => [hint, false])) } };
    });
  }
}
