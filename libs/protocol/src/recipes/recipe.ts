import type { DeclaredTools } from '../config/toolsSchema.ts';

/** What Baton knows of the tools of a published server, to be put under `baton.tools` of its entry in `mcp.json`. */
export interface Recipe {
  readonly name: string;
  readonly title: string;
  /** The npm package and version whose tools it was tested with. */
  readonly testedWith: string;
  /** Texts of `command`, `args` or `url` that tell such a server. */
  readonly knownBy: readonly string[];
  readonly tools: DeclaredTools;
}
