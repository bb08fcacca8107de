/** Time is an argument, and modules hold no state (decision 15). */
import { describe, expect, test } from 'vitest';

import { sources, withoutComments } from './sources.ts';

/** Files that still read the time of day by themselves (decision 15). The list may only become shorter. */
const readsTheTime = [
  // `since` in a lock file, for people.
  'libs/boot/src/process/folderLock.ts',
  'libs/runner/src/ports/clock.ts',
  // A date in `Retry-After`.
  'libs/transports/src/http/postDelivery.ts',
];

/** Memories of pure functions, with a limit. */
const memories = [
  'apps/dashboard/src/parts/time.ts',
  'libs/expressions/src/expression/functions/wallClock.ts',
  'libs/language/src/document/shape.ts',
];

describe('time and state (decision 15)', () => {
  /** Programs for people read the time where they show it. */
  const forPeople = /^(apps\/(cli|dashboard)|libs\/(api\/src\/client|learn))\//;
  const own = sources.filter(({ isTest, room }) => room !== undefined && !isTest);

  test('the time of day is an argument', () => {
    const found = own.filter(
      ({ path, code }) => !forPeople.test(path) && /\bDate\.now\(\)|\bnew Date\(\)/.test(withoutComments(code)),
    );
    expect(found.map(({ path }) => path).toSorted()).toEqual(readsTheTime);
  });

  test('nothing is kept in a module', () => {
    const state =
      /^(?:export )?(?:let |const \w+ = (?:new (?:Map|Set)(?:<.*>)?\(\)|\[\]);|const \w+: (?!Readonly|\w*$)[^=]*(?:\[\]|Map<.*>) = (?:new Map\(\)|\[\]);)/m;
    expect(own.filter(({ code }) => state.test(code)).map(({ path }) => path)).toEqual(memories);
  });
});
