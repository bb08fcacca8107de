/** Workflows of every verb, for properties that hold for all of them. */
import type { Json } from '@baton/primitives';
import * as fc from 'fast-check';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const duration = fc.constantFrom('250ms', '30s', '5m');
const rarely = <T>(usual: readonly T[], others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const text = rarely(
  ['plain', '${{ inputs.n }}', 'two\nlines: ${{ run.id }}', '${{ [1, 2].map(x, x + inputs.n) }}', 'x ${{ "}}" }}'],
  ['${{ steps.a.output }}', 'x ${{ steps.?b.output }} y', '${{ item }}', '${{ error.message }}', '${{ 1 + }}'],
);
const condition = rarely(
  ['inputs.n > 1', 'run.version == 1'],
  ['has(steps.a)', 'index == 0', 'steps.?c.output == null'],
);

/** Steps of every verb, nested, referring to each other as it happens. */
const { steps } = fc.letrec<{ steps: object[]; step: object }>((tie) => {
  const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
    fc.option(value, { nil: undefined, freq: 1 });
  const block = fc.array(tie('step'), { minLength: 1, maxLength: 3, depthIdentifier: 'step' });
  const common = {
    id: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: id }),
    if: optional(condition),
    onError: optional(fc.oneof(fc.constant('ignore'), block)),
  };
  const call = {
    with: optional(fc.dictionary(fc.constantFrom('p', 'q'), text)),
    timeout: optional(duration),
    retry: optional(fc.record({ attempts: fc.integer({ min: 2, max: 5 }), delay: duration })),
  };
  const of = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
    fc.record({ ...common, ...fields });
  const leaf = fc.oneof(
    of({
      tool: fc.constantFrom('s/get', 's/put'),
      ...call,
      effect: optional(fc.constantFrom('read', 'write')),
      undo: optional(fc.constant({ tool: 's/undo' })),
    }),
    of({ prompt: fc.constant('s/p'), ...call }),
    of({ resource: fc.constant('s'), uri: fc.constant('x://{p}'), ...call }),
    of({ sample: fc.record({ append: text, maxTokens: fc.integer({ min: 1, max: 9 }) }) }),
    of({ ask: text, expires: optional(duration) }),
    of({ wait: fc.oneof(duration, fc.record({ signal: fc.constant('go'), match: fc.constant('signal.ok == true') })) }),
    of({ set: fc.dictionary(fc.constantFrom('v', 'w'), text) }),
    of({ workflow: fc.constantFrom('other', 'other@2'), with: call.with, await: optional(fc.boolean()) }),
  );
  return {
    steps: block,
    step: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'step' },
      leaf,
      of({ parallel: block, until: optional(fc.constant('first')) }),
      of({ steps: block, finally: optional(block), undo: optional(block), timeout: optional(duration) }),
      of({
        forEach: fc.oneof(fc.constant([1, 2]), fc.constant('${{ range(3) }}')),
        steps: block,
        collect: optional(text),
      }),
      of({ switch: fc.tuple(fc.record({ when: condition, steps: block }), fc.record({ else: block })) }),
      of({ repeat: fc.record({ max: fc.integer({ min: 1, max: 3 }), until: optional(condition), steps: block }) }),
    ),
  };
});

/** As a document. Most have mistakes. */
export const anyWorkflow: fc.Arbitrary<Json> = fc
  .record({
    workflow: fc.constant('w'),
    inputs: fc.constant({ n: { type: 'integer', default: 1 } }),
    on: fc.constantFrom([], [{ schedule: '0 6 * * *' }, { tool: {} }]),
    steps,
    finally: fc.option(steps, { nil: undefined }),
    outputs: fc.option(fc.dictionary(fc.constantFrom('o'), text), { nil: undefined }),
  })
  .map((one) => JSON.parse(JSON.stringify(one)) as Json);
