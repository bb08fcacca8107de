import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * For `NODE_COMPILE_CACHE` of processes that tests start: each would parse the same sources again, half a second of
 * CPU.
 */
export const compileCache = join(tmpdir(), 'node-compile-cache');
