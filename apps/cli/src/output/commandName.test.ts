import { expect, test } from 'vitest';

import { commandName } from './commandName.ts';

test('a hint names the command as it was typed', () => {
  expect(commandName({})).toBe('baton');
  expect(commandName({ npm_command: 'run-script', npm_lifecycle_script: 'baton check' })).toBe('baton');
  expect(commandName({ npm_command: 'exec', npm_lifecycle_script: 'baton init --yes' })).toBe('npx baton');
  expect(commandName({ npm_command: 'exec', npm_lifecycle_script: 'batonflow init' })).toBe('npx batonflow');
});
