/** Numbers as people of a country write them, by the runtime's data of locales. */
import { didYouMean } from '../../source/nearest.ts';
import { describeValue } from '../describeValue.ts';
import type { Evaluation } from '../evaluation.ts';
import type { FunctionCall, FunctionSpec } from '../function.ts';
import { text } from '../type.ts';
import type { Value } from '../value.ts';
import { fixedText } from './decimal.ts';
import { asText } from './scalarText.ts';

/** Making a format takes up to half a millisecond, using it some microseconds. */
const makeCost = 5_000;
const useCost = 40;
const placesMax = 15;

/** Those of one evaluation: a list of prices needs one. */
const made = new WeakMap<Evaluation, Map<string, Intl.NumberFormat>>();

function formatOf(call: FunctionCall, locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const { e, node } = call;
  const known = made.get(e) ?? new Map<string, Intl.NumberFormat>();
  made.set(e, known);
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = known.get(key);
  if (format !== undefined) return format;
  e.charge(makeCost);
  if (!isLocale(locale)) return e.fail(node, () => `${describeValue(locale)} is no locale; "de-DE" is`);
  const fresh = new Intl.NumberFormat(locale, options);
  known.set(key, fresh);
  return fresh;
}

/** For a locale that is not known the runtime would take that of the machine. */
function isLocale(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale).length === 1;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** Given as decimal digits, so that all functions round alike. */
const digitsOf = (value: number | bigint, places: number | undefined): Intl.StringNumericLiteral =>
  (places === undefined ? String(value) : fixedText(value, places)) as Intl.StringNumericLiteral;

function formatNumber(call: FunctionCall): Value {
  const { e, node, args } = call;
  const places = args[2] === undefined ? undefined : Number(args[2]);
  if (places !== undefined && !(Number.isInteger(places) && places >= 0 && places <= placesMax)) {
    return e.fail(node, () => `formatNumber takes 0 to ${placesMax} places`);
  }
  e.charge(useCost);
  const options =
    places === undefined
      ? { maximumFractionDigits: placesMax }
      : { minimumFractionDigits: places, maximumFractionDigits: places };
  return formatOf(call, localeIn(args[1]), options).format(digitsOf(args[0] as number | bigint, places));
}

const localeIn = (value: Value | undefined): string => (value === undefined ? 'en-US' : asText(value));

function formatCurrency(call: FunctionCall): Value {
  const { e, node, args } = call;
  const currency = asText(args[1]);
  if (!currencies.has(currency)) {
    const say = (): string => `${describeValue(currency)} is no currency of ISO 4217; "EUR" is`;
    return e.fail(node, say, didYouMean(currency, currencies));
  }
  e.charge(useCost);
  const format = formatOf(call, localeIn(args[2]), { style: 'currency', currency });
  return format.format(digitsOf(args[0] as number | bigint, format.resolvedOptions().maximumFractionDigits));
}

const numberArgument = { name: 'number', kinds: ['number'] } as const;
const locale = { name: 'locale', kinds: ['text'], isOptional: true } as const;

export const localizedFunctions: readonly FunctionSpec[] = [
  {
    name: 'formatNumber',
    parameters: [numberArgument, locale, { name: 'places', kinds: ['number'], isOptional: true }],
    returns: text,
    about: 'The number as people of a country write it, with separators of thousands; `"en-US"` by default.',
    run: formatNumber,
  },
  {
    name: 'formatCurrency',
    parameters: [numberArgument, { name: 'currency', kinds: ['text'] }, locale],
    returns: text,
    about: 'An amount of money, with the decimals of the currency; `"en-US"` by default.',
    run: formatCurrency,
  },
];
