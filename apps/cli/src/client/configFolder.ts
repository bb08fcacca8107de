import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

import type { Environment } from '../environment.ts';

/** Of the XDG Base Directory Specification, 0.8, which says that a relative path is to be ignored. */
export function configFolder({ XDG_CONFIG_HOME, HOME }: Environment): string {
  const isNamed = XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME);
  return join(isNamed ? XDG_CONFIG_HOME : join(HOME ?? homedir(), '.config'), 'baton');
}
