/**
 * The long chaos: `npm run chaos -- --minutes 10 --seed 7 --families pg,worker-kill --mix servers`. Each may be left out: five
 * minutes, the seed 1, all families, orchestrators and workers (`apart`; else `servers` or `mixed`). `standby-behind` loses
 * runs and is a test of its own: alone, it is the only one that runs. It exits with 1 where a promise was broken.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    families: { type: 'string', default: '' },
    mix: { type: 'string', default: 'apart' },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError(`--minutes is a number above 0, and not ${values.minutes}`);
if (!['apart', 'servers', 'mixed'].includes(values.mix))
  throw new RangeError(`--mix is apart, servers or mixed, and not ${values.mix}`);
const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = fileURLToPath(import.meta.resolve('vitest/package.json')).replace('package.json', 'vitest.mjs');
const tests = values.families === 'standby-behind' ? ['lostSecond'] : ['chaos', 'lostSecond'];
const files = tests.map((name) => `tests/chaos/${name}.test.ts`);
const child = spawn(process.execPath, [vitest, 'run', '--project', 'alone', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    BATON_CHAOS_SECONDS: String(minutes * 60),
    BATON_CHAOS_SEED: values.seed,
    BATON_CHAOS_FAMILIES: values.families,
    BATON_CHAOS_MIX: values.mix,
  },
});
const [code] = await once(child, 'exit');
process.exitCode = typeof code === 'number' ? code : 1;
