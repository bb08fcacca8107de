/** Adds a server to the text of a configuration. Comments, and the order of everything else, stay. */
import { type JsonObject, isObject, membersOf } from '@baton/primitives';
import { parse } from 'jsonc-parser';

import { withValue } from './editJsonc.ts';

/** `text`: sound JSON with comments, or empty. Undefined where a server of that name is there already. */
export function addServer(text: string, name: string, entry: JsonObject): string | undefined {
  const plain = text.trim() === '' ? '{}\n' : text;
  const root: unknown = parse(plain);
  const servers = membersOf(root);
  // VS Code's spelling.
  const key = isObject(servers['servers']) && !isObject(servers['mcpServers']) ? 'servers' : 'mcpServers';
  const there = servers[key];
  if (isObject(there) && Object.hasOwn(there, name)) return undefined;
  return withValue(plain, [key, name], entry);
}
