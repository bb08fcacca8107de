/** Which commit a build is of: `0.2.0+58bd41c3a1b2`, as semantic versioning writes what does not order versions. */
import { spawnSync } from 'node:child_process';

import type { Plugin } from 'rolldown';

/** Twelve hex digits. Absent outside of a clone. */
export function commitOf(root: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Each process says its version and commit: to the API, to the list of workers, to MCP servers, and by `--version`. */
export const commitPlugin = (commit: string): Plugin => ({
  name: 'commit',
  transform(code, id) {
    const [, app] = /apps[/\\](cli|orchestrator|server|worker)[/\\]package\.json$/.exec(id) ?? [];
    if (app === undefined) return undefined;
    const manifest = JSON.parse(code) as { version: string; config?: object };
    const built =
      app === 'cli' ? { config: { ...manifest.config, commit } } : { version: `${manifest.version}+${commit}` };
    return { code: JSON.stringify({ ...manifest, ...built }), map: null };
  },
});
