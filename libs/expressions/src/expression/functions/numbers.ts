/** Functions on numbers: CEL's `math` extension. */
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { number } from '../type.ts';
import type { Value } from '../value.ts';
import { fixedText } from './decimal.ts';

const placesMax = 15;

function rounded({ e, node, args }: FunctionCall): Value {
  const [value, places = 0n] = args;
  const digits = Number(places);
  if (!Number.isInteger(digits) || digits < 0 || digits > placesMax) {
    return e.fail(node, () => `round takes 0 to ${placesMax} places`);
  }
  return typeof value === 'number' ? Number(fixedText(value, digits)) : (value ?? null);
}

const whole = (name: 'floor' | 'ceil' | 'abs', about: string, make: (value: number) => number): FunctionSpec => ({
  name,
  parameters: [{ name: 'number', kinds: ['number'] }],
  returns: name === 'abs' ? number : { kind: 'number', isWhole: true },
  about,
  run: ({ args: [value] }) => {
    if (typeof value === 'bigint') return name === 'abs' && value < 0n ? -value : value;
    return make(Number(value));
  },
});

/** Called by CEL's own names too: `math.round(x)`. */
export const mathNames = new Set(['round', 'floor', 'ceil', 'abs', 'sqrt']);

export const numberFunctions: readonly FunctionSpec[] = [
  {
    name: 'round',
    parameters: [
      { name: 'number', kinds: ['number'] },
      { name: 'places', kinds: ['number'], isOptional: true },
    ],
    returns: (args) => ({ kind: 'number', ...(args.length === 1 ? { isWhole: true } : {}) }),
    about:
      'Rounds to a whole number or to `places` decimals, and halves away from zero; also `math.round(…)`, as in CEL.',
    run: rounded,
  },
  {
    name: 'sqrt',
    parameters: [{ name: 'number', kinds: ['number'] }],
    returns: number,
    about: 'The square root; fails for a number below zero.',
    run: ({ e, node, args: [value] }) => {
      const root = Math.sqrt(Number(value));
      return Number.isNaN(root) ? e.fail(node, () => 'a number below zero has no square root') : root;
    },
  },
  whole('floor', 'Rounds down.', Math.floor),
  whole('ceil', 'Rounds up.', Math.ceil),
  whole('abs', 'The number without its sign.', Math.abs),
];
