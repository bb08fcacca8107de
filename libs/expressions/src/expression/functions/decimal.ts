/**
 * Numbers by their decimal digits, as people write and round them: 1.005 is 1.01 to two places, although the nearest
 * binary number lies below it.
 */

interface Decimal {
  readonly isNegative: boolean;
  /** The number is `digits` times ten to the power of `exponent`. */
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest digits that mean this number and no other. */
function decimalOf(value: number | bigint): Decimal {
  const [, sign, whole = '0', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return {
    isNegative: sign === '-',
    digits: BigInt(whole + fraction),
    exponent: Number(power) - fraction.length,
  };
}

/** With exactly so many places; halves go away from zero. */
export function fixedText(value: number | bigint, places: number): string {
  const { isNegative, digits, exponent } = decimalOf(value);
  const shift = exponent + places;
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : dividedByPower(digits, -shift);
  const text = scaled.toString().padStart(places + 1, '0');
  const whole = text.slice(0, text.length - places);
  return `${isNegative ? '-' : ''}${whole}${places === 0 ? '' : `.${text.slice(-places)}`}`;
}

function dividedByPower(digits: bigint, power: number): bigint {
  const unit = 10n ** BigInt(power);
  return (digits + unit / 2n) / unit;
}

/** Whether a JSON number holds the integer exactly. */
export const isExactNumber = (value: bigint): boolean => BigInt(Number(value)) === value;
