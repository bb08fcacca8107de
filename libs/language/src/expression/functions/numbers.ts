/** Functions on numbers: CEL's `math` extension. */
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { number } from '../type.ts';
import type { Value } from '../value.ts';

const placesMax = 15;

function rounded({ e, node, args }: FunctionCall): Value {
  const [value, places = 0n] = args;
  const digits = Number(places);
  if (!Number.isInteger(digits) || digits < 0 || digits > placesMax) {
    return e.fail(node, () => `round takes 0 to ${placesMax} places`);
  }
  if (typeof value === 'bigint' || typeof value !== 'number') return value ?? null;
  // By its decimal digits, as people round: 1.005 is 1.01. Halves go away from zero, as CEL has it.
  const shifted = shift(Math.round(shift(Math.abs(value), digits)), -digits);
  return Math.sign(value) * shifted;
}

function shift(value: number, digits: number): number {
  const [base = '0', exponent = '0'] = String(value).split('e');
  return Number(`${base}e${Number(exponent) + digits}`);
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
export const mathNames = new Set(['round', 'floor', 'ceil', 'abs']);

export const numberFunctions: readonly FunctionSpec[] = [
  {
    name: 'round',
    parameters: [
      { name: 'number', kinds: ['number'] },
      { name: 'places', kinds: ['number'], isOptional: true },
    ],
    returns: (args) => ({ kind: 'number', ...(args.length === 1 ? { isWhole: true } : {}) }),
    about: 'To the nearest whole number, or to so many places; halves away from zero.',
    run: rounded,
  },
  whole('floor', 'The greatest whole number that is not above.', Math.floor),
  whole('ceil', 'The least whole number that is not below.', Math.ceil),
  whole('abs', 'Without its sign.', Math.abs),
];
