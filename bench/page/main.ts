/** `npm run bench:page -- --json FILE`: how fast the page is, in Chromium, on the running product. */
import { writeFile } from 'node:fs/promises';

import { parseOptions } from '../core/parseOptions.ts';
import { busyFigure } from './busyFigure.ts';
import { editorFigure } from './editorFigure.ts';
import type { Figure } from './figure.ts';
import { loadFigures } from './loadFigures.ts';
import { manyItemsFigures } from './manyItemsFigures.ts';
import { manyRunsFigures } from './manyRunsFigures.ts';
import { startProduct } from './product.ts';
import { deployExamples } from './seed.ts';

const { values } = parseOptions({ options: { json: { type: 'string' }, items: { type: 'string', default: '10000' } } });

const product = await startProduct();
const figures: Figure[] = [];
try {
  await deployExamples(product);
  figures.push(...(await loadFigures(product)));
  figures.push(await editorFigure(product));
  figures.push(...(await manyItemsFigures(product, Number(values.items))));
  figures.push(await busyFigure(product));
  // Last: the figures before are of a list with few runs.
  figures.push(...(await manyRunsFigures(product)));
} finally {
  await product.close();
}
for (const { name, value, unit, goal, holds } of figures) {
  process.stdout.write(
    `${holds ? 'ok ' : 'NOT'}  ${name.padEnd(48)} ${value.toFixed(1).padStart(9)} ${unit.padEnd(9)} goal ${goal}\n`,
  );
}
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ figures }, null, 2)}\n`);
