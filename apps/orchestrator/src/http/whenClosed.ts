import type { ServerResponse } from 'node:http';

/** Calls `then` when the response closes; at once if it is closed already, since the event is not repeated. */
export function whenClosed(response: ServerResponse, then: () => void): void {
  if (response.destroyed) then();
  else response.once('close', then);
}
