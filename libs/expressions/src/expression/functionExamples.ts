/** One example for each function and form, in the groups of docs/expressions.md. Tests run them. */
import type { Json } from '@baton/primitives';

/** An expression, and what it gives. */
type FunctionExample = readonly [source: string, result: Json];

type ExamplesByName = Readonly<Record<string, FunctionExample>>;

const texts: ExamplesByName = {
  lower: ['lower("ÄB")', 'äb'],
  upper: ['"äb".upper()', 'ÄB'],
  lowerAscii: ['"ÄB".lowerAscii()', 'Äb'],
  upperAscii: ['"äb".upperAscii()', 'äB'],
  trim: ['" a b ".trim()', 'a b'],
  startsWith: ['"O-17".startsWith("O-")', true],
  endsWith: ['"a.csv".endsWith(".csv")', true],
  contains: ['"urgent: tea".contains("urgent")', true],
  indexOf: ['"a-b-c".indexOf("-")', 1],
  lastIndexOf: ['"a-b-c".lastIndexOf("-")', 3],
  substring: ['"O-17".substring(2)', '17'],
  split: ['"a, b".split(", ")', ['a', 'b']],
  join: ['["a", "b"].join(", ")', 'a, b'],
  replace: ['"a-b-c".replace("-", "+")', 'a+b+c'],
  reverse: ['"abc".reverse()', 'cba'],
  padStart: ['padStart(7, 3, "0")', '007'],
  format: ['"%s: %d items, %.2f".format(["a", 3, 2.5])', 'a: 3 items, 2.50'],
  matches: ['"O-17".matches("^O-[0-9]+$")', true],
  'regex.extract': ['regex.extract("order O-17, paid", "O-([0-9]+)").orValue("none")', '17'],
  'regex.extractAll': [
    String.raw`regex.extractAll("ann@a.org and bo@b.org", r"[\w.]+@[\w.]+")`,
    ['ann@a.org', 'bo@b.org'],
  ],
  'regex.replace': [String.raw`regex.replace("2026-12-24", r"(\d+)-(\d+)-(\d+)", r"\3.\2.\1")`, '24.12.2026'],
  'regex.split': [String.raw`regex.split("a, b;c", r"[,;]\s*")`, ['a', 'b', 'c']],
  urlEncode: ['urlEncode("a b&c")', 'a%20b%26c'],
  urlDecode: ['urlDecode("a%20b%26c")', 'a b&c'],
};

const lists: ExamplesByName = {
  first: ['[3, 1, 2].first()', 3],
  last: ['[3, 1, 2].last()', 2],
  find: ['[3, 1, 2].find(x, x < 3).orValue(0)', 1],
  map: ['[3, 1, 2].map(x, x * 2)', [6, 2, 4]],
  filter: ['[3, 1, 2].filter(x, x > 1)', [3, 2]],
  all: ['[3, 1, 2].all(x, x > 1)', false],
  exists: ['[3, 1, 2].exists(x, x > 2)', true],
  exists_one: ['[3, 1, 2].exists_one(x, x > 1)', false],
  distinct: ['[1, 2, 1].distinct()', [1, 2]],
  sort: ['[3, 1, 2].sort()', [1, 2, 3]],
  sortBy: [
    '[{"n": "b", "age": 7}, {"n": "a", "age": 7}, {"n": "c", "age": 9}].sortBy(x, [-x.age, x.n]).map(x, x.n)',
    ['c', 'a', 'b'],
  ],
  groupBy: ['[1, 2, 3].groupBy(x, x > 1 ? "more" : "one")', { one: [1], more: [2, 3] }],
  flatten: ['[[1], [2, [3]]].flatten()', [1, 2, [3]]],
  slice: ['[3, 1, 2].slice(1)', [1, 2]],
  chunk: ['chunk([1, 2, 3], 2)', [[1, 2], [3]]],
  zip: [
    '[1, 2].zip(["a", "b"])',
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  range: ['range(2, 5)', [2, 3, 4]],
  sum: ['[1, 2, 3.5].sum()', 6.5],
  average: ['[1, 2].average()', 1.5],
  min: ['[3, 1, 2].min()', 1],
  max: ['max(0, 7)', 7],
  reduce: ['[2, 3].reduce(product, x, 1, product * x)', 6],
  transformList: ['["a", "b"].transformList(i, x, string(i + 1) + x)', ['1a', '2b']],
};

const maps: ExamplesByName = {
  keys: ['keys({"tea": 2, "cake": 4})', ['tea', 'cake']],
  values: ['values({"tea": 2, "cake": 4})', [2, 4]],
  entries: ['entries({"tea": 2})', [{ key: 'tea', value: 2 }]],
  pick: ['{"tea": 2, "cake": 4}.pick(["tea"])', { tea: 2 }],
  omit: ['{"tea": 2, "cake": 4}.omit(["tea"])', { cake: 4 }],
  merge: ['{"tea": 2}.merge({"tea": 3, "milk": 1})', { tea: 3, milk: 1 }],
  transformMap: ['{"tea": 2}.transformMap(name, price, price * 2)', { tea: 4 }],
  transformMapEntry: ['["a", "b"].transformMapEntry(i, x, {x: i})', { a: 0, b: 1 }],
};

const numbers: ExamplesByName = {
  round: ['round(1.005, 2)', 1.01],
  floor: ['floor(1.5)', 1],
  ceil: ['ceil(1.2)', 2],
  abs: ['abs(-3)', 3],
  sqrt: ['sqrt(2.25)', 1.5],
  formatNumber: ['formatNumber(1234567.5, "de-DE", 2)', '1.234.567,50'],
  formatCurrency: ['formatCurrency(1234.5, "EUR")', '€1,234.50'],
};

const times: ExamplesByName = {
  timestamp: ['timestamp("2026-12-24T18:00", "Europe/Berlin")', '2026-12-24T17:00:00Z'],
  duration: ['timestamp("2026-12-24T17:00:00Z") + duration("1h30m")', '2026-12-24T18:30:00Z'],
  parseTime: ['parseTime("24.12.2026 18:00", "dd.MM.yyyy HH:mm", "Europe/Berlin")', '2026-12-24T17:00:00Z'],
  formatTime: [
    'formatTime("2026-12-24T17:00:00Z", "EEEE, d MMMM, HH:mm", "Europe/Berlin")',
    'Thursday, 24 December, 18:00',
  ],
  addDays: ['addDays("2026-12-24T17:00:00Z", 8)', '2027-01-01T17:00:00Z'],
  addMonths: ['addMonths("2026-01-31T09:00:00Z", 1)', '2026-02-28T09:00:00Z'],
  startOf: ['startOf("2026-12-24T17:00:00Z", "month", "Europe/Berlin")', '2026-11-30T23:00:00Z'],
  endOf: ['endOf("2026-12-24T17:00:00Z", "week")', '2026-12-27T23:59:59.999Z'],
  getFullYear: ['getFullYear("2026-12-24T17:00:00Z")', 2026],
  getMonth: ['getMonth("2026-12-24T17:00:00Z")', 11],
  getDate: ['getDate("2026-12-24T17:00:00Z")', 24],
  getDayOfMonth: ['getDayOfMonth("2026-12-24T17:00:00Z")', 23],
  getDayOfWeek: ['getDayOfWeek("2026-12-24T17:00:00Z")', 4],
  getDayOfYear: ['getDayOfYear("2026-12-24T17:00:00Z")', 357],
  getIsoWeek: ['getIsoWeek("2027-01-01T00:00:00Z")', 53],
  getIsoWeekYear: ['getIsoWeekYear("2027-01-01T00:00:00Z")', 2026],
  getHours: ['timestamp("2026-12-24T17:05:09.5Z").getHours("Europe/Berlin")', 18],
  getMinutes: ['duration("1h30m").getMinutes()', 90],
  getSeconds: ['timestamp("2026-12-24T17:05:09.5Z").getSeconds()', 9],
  getMilliseconds: ['timestamp("2026-12-24T17:05:09.5Z").getMilliseconds()', 500],
};

const missing: ExamplesByName = {
  default: ['default({"a": null}.a, "none")', 'none'],
  has: ['has({"a": 1}.b)', false],
  orValue: ['{"a": 1}.?b.orValue(0)', 0],
  or: ['{"a": 1}.?b.or(optional.of(2)).orValue(0)', 2],
  hasValue: ['{"a": 1}.?b.hasValue()', false],
  value: ['{"a": 1}.?a.value()', 1],
  of: ['optional.of(1).hasValue()', true],
  none: ['optional.none().hasValue()', false],
};

const others: ExamplesByName = {
  size: ['size("äbc")', 3],
  json: ['json({"a": [1, null]})', '{"a":[1,null]}'],
  fromJson: [String.raw`fromJson('{"a": [1, null]}')`, { a: [1, null] }],
  csv: ['csv([{"name": "Ada, Bo", "age": 41}])', 'name,age\n"Ada, Bo",41'],
  fromCsv: [String.raw`fromCsv("name,zip\n\"Ada, Bo\",01234")`, [{ name: 'Ada, Bo', zip: '01234' }]],
  fromCsvRows: [
    String.raw`fromCsvRows("a;b\nc;d", ";")`,
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  base64: ['base64("äbc")', 'w6RiYw=='],
  base64Decode: ['base64Decode("w6RiYw==")', 'äbc'],
  sha256: ['sha256("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  sha512: ['sha512("abc").substring(0, 16)', 'ddaf35a193617aba'],
  sha1: ['sha1("abc")', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  md5: ['md5("abc")', '900150983cd24fb0d6963f7d28e17f72'],
  hmac: [
    'hmac("what do ya want for nothing?", "Jefe")',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  string: ['string(1.5)', '1.5'],
  int: ['int("42")', 42],
  double: ['double("1.5")', 1.5],
  bool: ['bool("true")', true],
  bytes: ['size(bytes("ä"))', 2],
  dyn: ['dyn(1)', 1],
  type: ['type("a") == string', true],
  bind: ['cel.bind(x, 3, x * x)', 9],
};

export const functionExamples: Readonly<Record<string, ExamplesByName>> = {
  texts,
  lists,
  maps,
  numbers,
  times,
  'missing values': missing,
  others,
};
