/** The place of a session's call. */
import type { StepPlace } from './place.ts';
import { argumentsName, type SessionCall } from './session.ts';
import { resolve } from './value.ts';

/** The arguments are resolved only when they are read, so that only this call's blobs are loaded. */
export function sessionPlace(place: StepPlace, call: SessionCall): StepPlace {
  const locals = Object.defineProperty({}, argumentsName, {
    enumerable: true,
    get: () => resolve(call.arguments, place.blobs),
  });
  return { ...place, locals };
}
