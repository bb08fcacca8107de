import type { DeclaredTools } from '../config/toolsSchema.ts';

/** What Baton knows of the tools of a published server, to be put under `baton.tools` of its entry in `mcp.json`. */
export interface Recipe {
  readonly name: string;
  readonly title: string;
  /** The npm package and version whose tools it was tested with; absent for a server that needs an account. */
  readonly testedWith?: string;
  /** The published definitions of its tools that it was compared with, where they could not be called. */
  readonly comparedWith?: string;
  /** Texts of `command`, `args` or `url` that tell such a server. */
  readonly knownBy: readonly string[];
  readonly tools: DeclaredTools;
}
