/** Arithmetic on numbers as people write them: 19.99 is a multiple of 0.01, though not in binary fractions. */

interface Decimal {
  /** The number without its point. */
  readonly digits: bigint;
  /** How many digits are behind the point; negative: zeros before it. */
  readonly places: number;
}

/** The shortest decimal that means this number, which is how it was written. */
function decimalOf(value: number): Decimal {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return { digits: BigInt(`${whole}${fraction}`), places: fraction.length - Number(exponent) };
}

const scaled = ({ digits, places }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - places);

/** Both are finite. Nothing is a multiple of what is not above zero. */
export function isDecimalMultiple(value: number, step: number): boolean {
  if (step <= 0) return false;
  if (Number.isInteger(value) && Number.isInteger(step) && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return value % step === 0;
  const [one, other] = [decimalOf(value), decimalOf(step)];
  const places = Math.max(one.places, other.places);
  return scaled(one, places) % scaled(other, places) === 0n;
}
