/**
 * A claim that makes a tool look safer counts only if the tool made it when this process first saw it: a server in use
 * cannot turn a tool that writes into one that "only reads" by claiming it. A withdrawn claim counts at once. The
 * digests are of what the server says, so a change is still reported as drift.
 */
import type { Tool } from '@baton/protocol';

const favours = ['readOnlyHint', 'idempotentHint'] as const;
const toolsMax = 10_000;

export class FirstHints {
  /** By tool: the claims that it did not make at first. */
  readonly #unclaimed = new Map<string, readonly (typeof favours)[number][]>();

  heldTo(tools: readonly Tool[]): readonly Tool[] {
    return tools.map((tool) => {
      const { name, annotations = {} } = tool;
      const known = this.#unclaimed.get(name);
      if (known === undefined && this.#unclaimed.size < toolsMax) {
        this.#unclaimed.set(
          name,
          favours.filter((hint) => annotations[hint] !== true),
        );
      }
      const isUnknown = !this.#unclaimed.has(name);
      const late = (known ?? (isUnknown ? favours : [])).filter((hint) => annotations[hint] === true);
      if (late.length === 0) return tool;
      return { ...tool, annotations: { ...annotations, ...Object.fromEntries(late.map((hint) => [hint, false])) } };
    });
  }
}
