import type { Mutation } from '../mutation.ts';

export const driftMutations: readonly Mutation[] = [
  {
    safeguard: 'pin drift: the orchestrator refuses the run',
    file: 'libs/control/src/deploy/driftGuard.ts',
    find: 'if (blocking.length === 0) return;',
    replace: 'if (blocking.length >= 0) return;',
    shownBy: ['apps/orchestrator/src/deploy/deploy.int.test.ts'],
  },
  {
    safeguard: 'pin drift: a start after a pause waits for the judgement of now',
    file: 'libs/control/src/deploy/driftGuard.ts',
    find: 'if ((isBlocked || now >= judged.freshUntil) && ',
    replace: 'if (judged.freshUntil === 0 && ',
    shownBy: ['libs/control/src/deploy/driftGuard.int.test.ts'],
  },
  {
    safeguard: 'pin drift: a proof compares the answers of earlier runs',
    file: 'libs/control/src/deploy/threads/proveTools.ts',
    find: '  unproven.push(...answerDoubts(changed, answers));\n',
    replace: '',
    shownBy: ['libs/control/src/deploy/threads/proveTools.test.ts'],
  },
  {
    safeguard: 'pin drift: no proof lets a tool become more dangerous',
    file: 'libs/control/src/deploy/threads/proveTools.ts',
    find: 'if (effectStrength[effect] > effectStrength[pin.effect])',
    replace: 'if (effectStrength[effect] > effectStrength.write)',
    shownBy: ['libs/control/src/deploy/threads/proveTools.test.ts'],
  },
  {
    safeguard: 'pin drift: what the new schema says less about is not read',
    file: 'libs/language/src/driftProof.ts',
    find: 'outputSchema: sureOutput(before.outputSchema, now.outputSchema)',
    replace: 'outputSchema: now.outputSchema ?? before.outputSchema',
    shownBy: ['libs/control/src/deploy/threads/proveTools.test.ts'],
  },
  {
    safeguard: 'pin drift: arguments that were not proved fit as before',
    file: 'libs/language/src/driftProof.ts',
    find: 'return admits(wide, asGiven(before.inputSchema, givenAt(workflow, pointer)));',
    replace: 'return admits(true, wide) || asGiven(before.inputSchema, givenAt(workflow, pointer)) === true;',
    shownBy: ['libs/control/src/deploy/threads/proveTools.test.ts'],
  },
  {
    safeguard: 'pin drift: a proof replaces the version that it is about, and no other',
    file: 'libs/control/src/deploy/repinner.ts',
    find: '        mayReplace: (newest) => newest === version,\n',
    replace: '',
    shownBy: ['libs/control/src/deploy/repinner.int.test.ts'],
  },
  {
    safeguard: 'pin drift: a start during a proof waits for it',
    file: 'libs/control/src/deploy/driftGuard.ts',
    find: 'if (judged.underWay === undefined && now >= judged.renewAt)',
    replace: 'if (now >= judged.renewAt)',
    shownBy: ['libs/control/src/deploy/driftGuard.int.test.ts'],
  },
  {
    safeguard: 'pin drift: a version that is replaced while its tools are checked leaves the start to the newer one',
    file: 'libs/control/src/intake/starter.ts',
    find: 'error instanceof ToolsChanged ? error.definition : known?.definition',
    replace: 'known?.definition',
    shownBy: ['libs/control/src/deploy/repinner.int.test.ts'],
  },
  {
    safeguard: 'pin drift: a proof decides nothing where a tool of an `exact` server has changed',
    file: 'libs/control/src/deploy/threads/proveTools.ts',
    find: "policy.tools === 'exact') ? []",
    replace: "policy.tools === 'accept') ? []",
    shownBy: ['libs/control/src/deploy/repinner.int.test.ts'],
  },
];
