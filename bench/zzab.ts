import { complete, diagnose, DocumentReader, readText } from '@baton/language/service';
const step = (i: number): string => `  - id: s${i}
    title: Step number ${i}
    tool: github/create_issue
    effect: write
    timeout: { idle: 2m, total: 10m }
    with:
      title: "Issue ${i} of \${{ inputs.org }}"
      body: "\${{ ${i === 0 ? 'inputs.org' : `json(steps.s${i - 1}.output)`} }}"
      labels: [a, b, c]
`;
const text = `workflow: big\ninputs:\n  org: { type: string }\nsteps:\n${Array.from({ length: 220 }, (_, i) => step(i)).join('')}`;
const middle = text.indexOf('Step number 110') + 'Step number 110'.length;
const r = new DocumentReader(), c = new DocumentReader();
const key = (i: number) => diagnose(readText(`${text.slice(0, middle)}${'x'.repeat(i % 20)}${text.slice(middle)}`, {}, r));
const at = text.indexOf('inputs.org }}', middle) + 7;
const comp = (i: number) => { const t = 'org'.slice(0, i % 4); complete(text.slice(0, at) + t + text.slice(at + 3), at + t.length, {}, c); };
for (const [name, act] of [['key', key], ['completion', comp]] as const) { for (let i = 0; i < 40; i++) act(i); const s = process.cpuUsage(); for (let i = 0; i < 200; i++) act(i); const u = process.cpuUsage(s); process.stdout.write(`${name} ${((u.user + u.system) / 200_000).toFixed(1)} ms CPU  `); }
process.stdout.write('\n');
