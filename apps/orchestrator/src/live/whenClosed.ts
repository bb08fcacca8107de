import type { ServerResponse } from 'node:http';

/** Immediate if it is closed already: a caller that awaited something first would miss the event. */
export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then();
  else response.once('close', then);
}
