/** For the matrix: the server of 2026-07-28 over stdio. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';

import { modernServer } from '../modernServer.ts';

serveStdio(() => modernServer());
