import { join } from 'node:path';

import { type ProblemDetail, ProblemError } from '@baton/api/client';
import pc from 'picocolors';
import { describe, expect, test } from 'vitest';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';
import { explainError } from './explainError.ts';
import { whyOf } from './fileFault.ts';

const stderr = { paint: pc.createColors(false), columns: () => 30 };
const fault = (code: string, syscall: string, path?: string): Error =>
  Object.assign(new Error(`${code}: ${syscall}`), { code, syscall, path });

describe('an error of the file system', () => {
  test('is told by the name of the file', () => {
    expect(explainError(fault('ENOSPC', 'write', 'flows.d.ts'), { ...stderr, columns: () => undefined })).toEqual({
      text: 'error: flows.d.ts cannot be used: the disk is full.',
      exitCode: exitCodes.usage,
    });
  });

  test('is a bug where no file of the user is meant', () => {
    expect(explainError(fault('ENOSPC', 'watch', 'flows'), stderr)).toBeUndefined();
    expect(explainError(fault('ENOENT', 'spawn npm', 'npm'), stderr)).toBeUndefined();
    expect(explainError(fault('ENOENT', 'open', join(import.meta.dirname, 'gone.json')), stderr)).toBeUndefined();
    expect(explainError(fault('ENOENT', 'open', '/x/node_modules/batonflow/gone.json'), stderr)).toBeUndefined();
  });

  test('says that it is a folder, where the system does not say which', () => {
    expect(whyOf(fault('EISDIR', 'read'))).toBe('it is a folder');
  });
});

test('a frame keeps its lines, so that the caret stands under its column', () => {
  const frame =
    '  12 | message: a text that is longer than the terminal\n     |                               ^^^^ here it is, far to the right';
  const error = new CommandError(exitCodes.usage, `This message is too long for a line:\n${frame}`);
  expect(explainError(error, stderr)?.text).toBe(`error: This message is too\nlong for a line:\n${frame}`);
});

test('Faults in values of options name the options as they are typed, all in one form.', () => {
  const instant = 'an RFC 3339 instant such as 2026-11-30T06:00:00Z';
  const detail = (name: string, pointer = `/${name}`): ProblemDetail => ({
    pointer,
    code: 'wrong-value',
    message: `"${name}" must be ${instant}, and is "soon".`,
    expected: instant,
  });
  const text = (errors: ProblemDetail[]): string | undefined => {
    const problem = new ProblemError('validation-failed', errors[0]?.message ?? '', { errors });
    return explainError(
      problem,
      { ...stderr, columns: () => undefined },
      {
        flags: ['--from', '--to', '--scope', '--expires-in'],
      },
    )?.text;
  };
  expect(text([detail('from'), detail('to')])).toBe(
    `error: --from must be ${instant}, and is "soon".\n  --to must be ${instant}, and is "soon".`,
  );
  expect(text([detail('scopes[2]', '/scopes/2')])).toBe(`error: --scope must be ${instant}, and is "soon".`);
  expect(text([detail('expiresIn')])).toBe(`error: --expires-in must be ${instant}, and is "soon".`);
  expect(text([detail('to', '?to')])).toBe(`error: --to must be ${instant}, and is "soon".`);
  expect(text([detail('elsewhere')])).toBe(`error: "elsewhere" must be ${instant}, and is "soon".`);
});

describe('a detail of a refusal', () => {
  const text = (errors: ProblemDetail[]): string | undefined =>
    explainError(new ProblemError('validation-failed', 'The key "file" is missing.', { errors }), {
      ...stderr,
      columns: () => undefined,
    })?.text;
  const missing = { code: 'invalid-inputs', message: 'The key "file" is missing.', expected: 'file' };

  test('that the headline told is not repeated as a bare code', () => {
    const unknown = {
      code: 'invalid-inputs',
      pointer: '/inputs/size',
      message: '"size" is superfluous: only "file" is allowed.',
    };
    expect(text([{ ...missing, pointer: '/inputs' }, unknown])).toBe(
      'error: The key "file" is missing.\n  /inputs/size  invalid-inputs  "size" is superfluous: only "file" is allowed.',
    );
  });

  test('Details without a place, with which the message ends, are said once, each in lines of its own.', () => {
    const blocked = ['s/look: The annotation readOnlyHint was true.', 'The effect of s/look was `read`.'];
    const errors = blocked.map((message) => ({ code: 'tool-changed', message }));
    const problem = new ProblemError('conflict', ['Tools have changed.', ...blocked].join(' '), { errors });
    expect(explainError(problem, { ...stderr, columns: () => undefined })?.text).toBe(
      `error: Tools have changed.\n  ${blocked.join('\n  ')}`,
    );
    expect(explainError(problem, { ...stderr, columns: () => 40 })?.text.split('\n')).toEqual([
      'error: Tools have changed.',
      '  s/look: The annotation readOnlyHint',
      '  was true.',
      '  The effect of s/look was `read`.',
    ]);
  });

  test('keeps a place that the headline does not tell, and its hint', () => {
    expect(text([{ ...missing, pointer: '/inputs/items/3' }])).toBe(
      'error: The key "file" is missing.\n  /inputs/items/3',
    );
    expect(text([{ ...missing, pointer: '/inputs', hint: 'give a path' }])).toBe(
      'error: The key "file" is missing.\n  /inputs  invalid-inputs\n    hint: give a path',
    );
  });
});
