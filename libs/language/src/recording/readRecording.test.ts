import { describe, expect, test } from 'vitest';

import { printRecording, readRecording } from './readRecording.ts';
import type { Recording } from './recording.ts';

describe('a recording', () => {
  test('that was written is the same when it is read again, with any answers of tools in it', () => {
    const recording: Recording = {
      workflow: 'tidy.workflow.yaml',
      run: { id: '01a1fed0-d0e0-77fc-a721-a205251a6095', startedAt: '2026-11-21T15:54:20.319Z' },
      inputs: { when: '2026-11-21', no: 'no', empty: '', list: [1, null, 1.5, true] },
      calls: [
        { path: 'notes', result: { content: [{ type: 'text', text: '# a\n\n- b: "c"\n  ${{ d }}\n*e &f !g\n' }] } },
        {
          path: 'notes',
          result: { content: [], structuredContent: { 'z\0': 'a\0b', s: '\ud800', constructor: 1, '<<': 2 } },
        },
        { path: 'notes', attempt: 2, error: { code: 'tool-failed', message: 'ENOENT: no such file' } },
      ],
      outputs: { text: '- not\n- a list' },
    };
    expect(readRecording(printRecording(recording))).toEqual({ recording, findings: [] });
  });

  test('that is none says where, and what was meant', () => {
    const { recording, findings } = readRecording('workflow: w.workflow.yaml\ncalls:\n  - pth: notes\n');
    expect(recording).toBe(undefined);
    expect(findings).toMatchObject([
      { code: 'missing-key', line: 3 },
      { code: 'unknown-key', line: 3, column: 5, hint: 'did you mean "path" or "with"?' },
    ]);
    expect(readRecording('').findings).toMatchObject([{ severity: 'error' }]);
    expect(readRecording('workflw: x').findings).toContainEqual(
      expect.objectContaining({ message: 'A recording has no key "workflw".' }),
    );
  });

  test('that is too large is not read', () => {
    expect(readRecording(`# ${'x'.repeat(17 * 1024 * 1024)}`).findings).toMatchObject([{ code: 'too-large' }]);
  });
});
