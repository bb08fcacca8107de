/** For shell blocks of the docs that use `jq`, on machines without it: the filter that `baton --jq` has. Takes `-r`. */
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

const { compile } = createRequire(new URL('../apps/cli/package.json', import.meta.url))('@michaelhomer/jqjs');
const isRaw = process.argv.includes('-r');
const filter = process.argv.slice(2).find((one) => one !== '-r') ?? '.';
for (const result of compile(filter)(JSON.parse(await text(process.stdin)))) {
  process.stdout.write(`${isRaw && typeof result === 'string' ? result : JSON.stringify(result)}\n`);
}
