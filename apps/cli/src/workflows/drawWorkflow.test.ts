import pc from 'picocolors';
import { expect, test } from 'vitest';

import { drawWorkflow } from './drawWorkflow.ts';

test('A version that a proof made says that its tools changed, and where to read what changed.', () => {
  const version = {
    id: 'report',
    version: 2,
    source: 'workflow: report\nsteps: []\n',
    inputs: {},
    digest: 'sha256:a',
    deployedAt: '2026-11-27T09:00:00.000Z',
  };
  const shown = (deployedBy: string): string =>
    drawWorkflow({ ...version, deployedBy } as unknown as Parameters<typeof drawWorkflow>[0], {
      paint: pc.createColors(false),
      columns: () => 200,
    }).join('\n');
  expect(shown('repinning')).toContain('baton audit ls --action tools.repinned --target report');
  expect(shown('Ada')).not.toContain('baton audit ls');
});
