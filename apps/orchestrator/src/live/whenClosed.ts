import type { ServerResponse } from 'node:http';

/** At once where it is closed already: a caller that awaited something before comes too late for the event. */
export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then();
  else response.once('close', then);
}
