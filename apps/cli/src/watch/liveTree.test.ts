import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { Terminal } from '@xterm/headless';
import { describe, expect, test } from 'vitest';

import { createOutput } from '../output/output.ts';
import type { DrawnRun, DrawnLine } from '../tree/drawRun.ts';
import { LiveTree } from './liveTree.ts';

const columns = 40;

/** What a terminal of that height holds after `draw`, its scrollback first. */
async function screenAfter(
  rows: number,
  draw: (tree: LiveTree, say: (text: string) => void) => void,
): Promise<string[]> {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  const output = createOutput(stream, { NO_COLOR: '1' });
  draw(new LiveTree(output), (text) => void stream.write(text));
  const written = (await text(stream.end())).replaceAll('\n', '\r\n');
  const terminal = new Terminal({ cols: columns, rows, scrollback: 1_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(written, resolve));
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? '');
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

const block = (texts: readonly string[], kind: DrawnLine['kind'] = 'over'): DrawnRun['blocks'][number] => ({
  lines: texts.map((text) => ({ text, kind })),
  isSettled: kind === 'over',
});

const drawing = (footer: string, ...blocks: DrawnRun['blocks']): DrawnRun => ({
  blocks: [block(['title']), ...blocks],
  footer,
});

describe('the tree on a terminal', () => {
  test('is drawn again in the same place, and stays when it is over', async () => {
    const lines = await screenAfter(20, (tree) => {
      tree.draw({ drawing: drawing('running', block(['a 1'], 'open')), note: ' · ctrl-c' });
      tree.draw({ drawing: drawing('running', block(['a 2'], 'open')), note: ' · ctrl-c' });
      tree.finish(drawing('succeeded', block(['a 3'])));
    });
    expect(lines).toEqual(['title', 'a 3', 'succeeded']);
  });

  test('pauses for other output, and continues below it', async () => {
    const lines = await screenAfter(20, (tree, say) => {
      tree.draw({ drawing: drawing('running', block(['a 1'], 'open')) });
      tree.pause();
      say('a question\n');
      tree.draw({ drawing: drawing('running', block(['a 2'], 'open')) });
      tree.finish(drawing('cancelled', block(['a 3'])));
    });
    expect(lines).toEqual(['a question', 'title', 'a 3', 'cancelled']);
  });

  test('of a run that is taller than the terminal is whole in the scrollback, every line once', async () => {
    const steps = Array.from({ length: 30 }, (_, i) => i);
    const lines = await screenAfter(8, (tree) => {
      for (const now of steps) {
        const blocks = steps.map((i) =>
          i < now ? block([`step ${i} done`]) : block([`step ${i}`], i === now ? 'open' : 'pending'),
        );
        tree.draw({ drawing: drawing(`${now} of 30`, ...blocks) });
      }
      tree.finish(drawing('succeeded', ...steps.map((i) => block([`step ${i} done`]))));
    });
    expect(lines).toEqual(['title', ...steps.map((i) => `step ${i} done`), 'succeeded']);
  });
});
