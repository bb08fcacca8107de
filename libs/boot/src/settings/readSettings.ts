import { completeDatabaseUrl, usualSchema } from './databaseUrl.ts';
import { claimRuleFaults } from './peopleSettings.ts';
import { type SettingName, settingNames, Settings } from './settings.ts';
import { shownUrl } from './urlSetting.ts';

/** Reads settings from the environment, a file and the command line. */
export interface SettingSource {
  /** As people know it: `environment`, `--port`. */
  readonly name: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** Everything that is wrong with the settings, one line each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`These settings cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

export interface DescribedSetting {
  readonly name: SettingName;
  /** As it was written; masked where it is secret. Undefined: not set, and without a default. */
  readonly value: string | undefined;
  /** A source's name, `default`, or `absent`. */
  readonly source: string;
  readonly description: string;
}

export interface ReadSettings {
  readonly settings: Settings;
  /** For people: `baton settings`. */
  readonly described: readonly DescribedSetting[];
}

interface FoundSetting {
  readonly value: string;
  readonly source: string;
}

/** The first source with a value wins; white space is no value. Throws `SettingsError`. */
export function readSettings(sources: readonly SettingSource[]): ReadSettings {
  const found = new Map(settingNames.flatMap((name) => findFirst(name, sources)));
  const parsed = Settings.safeParse(Object.fromEntries([...found].map(([name, { value }]) => [name, value])));
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => faultOf(issue.path[0] as SettingName, issue, found));
    throw new SettingsError([...new Set(faults)]);
  }
  const unfit = unfitting(parsed.data);
  if (unfit.length > 0) throw new SettingsError(unfit);
  const variables = Object.assign({}, ...sources.map(({ values }) => values).toReversed()) as SettingSource['values'];
  const settings = Object.freeze({ ...parsed.data, ...completeAddresses(parsed.data, variables) });
  return { settings, described: settingNames.map((name) => describe(name, found.get(name), settings)) };
}

const directAlone = 'BATON_DIRECT_URL: expected a DATABASE_URL, which leads to the same Postgres through a pooler';
const ofProvider = ['BATON_OIDC_ISSUER', 'BATON_OIDC_CLIENT_ID', 'BATON_OIDC_CLIENT_SECRET'] as const;

/** Settings that are good by themselves, and not together. */
function unfitting(settings: Settings): readonly string[] {
  const { BATON_OIDC_GRANTS: rules, BATON_ROLES: roles, DATABASE_URL: url, BATON_DIRECT_URL: direct } = settings;
  const needsProvider = rules.length > 0 && settings.BATON_OAUTH_ISSUER === undefined;
  const isWanted = needsProvider || ofProvider.some((name) => settings[name] !== undefined);
  const missing = isWanted ? ofProvider.filter((name) => settings[name] === undefined) : [];
  return [
    ...missing.map((name) => `${name}: people log in at an identity provider with all of ${ofProvider.join(', ')}`),
    ...claimRuleFaults(rules, roles).map((fault) => `BATON_OIDC_GRANTS: ${fault}`),
    ...(direct !== undefined && url === undefined ? [directAlone] : []),
  ];
}

function completeAddresses(
  { DATABASE_URL: url, BATON_DIRECT_URL: direct, BATON_SCHEMA: schema }: Settings,
  variables: SettingSource['values'],
): Partial<Settings> {
  if (url === undefined) return {};
  const DATABASE_URL = completeDatabaseUrl(url, variables, schema);
  if (direct === undefined) return { DATABASE_URL };
  const ofBoth = new URL(DATABASE_URL).searchParams.get('schema') ?? usualSchema;
  return { DATABASE_URL, BATON_DIRECT_URL: completeDatabaseUrl(direct, variables, ofBoth) };
}

function findFirst(name: SettingName, sources: readonly SettingSource[]): [SettingName, FoundSetting][] {
  for (const { name: source, values } of sources) {
    const value = values[name]?.trim();
    if (value !== undefined && value !== '') return [[name, { value, source }]];
  }
  return [];
}

interface SettingMeta {
  readonly description?: string | undefined;
  readonly secret?: unknown;
  readonly isUrl?: unknown;
}

const metaOf = (name: SettingName): SettingMeta => Settings.shape[name].meta() ?? {};

interface SettingIssue {
  readonly message: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

function faultOf(name: SettingName, issue: SettingIssue, found: ReadonlyMap<SettingName, FoundSetting>): string {
  const { value = '', source = 'nowhere' } = found.get(name) ?? {};
  const instead = issue.params?.['found'];
  const shown = typeof instead === 'string' ? instead : shownValue(name, value);
  return `${name} (${source}): expected ${issue.message}, found ${shown}`;
}

function shownValue(name: SettingName, value: string): string {
  if (metaOf(name).secret === true) return `${value.length} characters that are not shown`;
  // The address or the key of another setting may be here by mistake.
  return /:\/\/|[@=]/.test(value) ? 'a text that is not shown' : JSON.stringify(value.slice(0, 80));
}

function describe(name: SettingName, found: FoundSetting | undefined, settings: Settings): DescribedSetting {
  const { description = '', secret, isUrl } = metaOf(name);
  if (found !== undefined) {
    const read = settings[name];
    const shown = isUrl === true && typeof read === 'string' ? shownUrl(read) : found.value;
    return { name, value: secret === true ? '***' : shown, source: found.source, description };
  }
  const value = defaultOf(name);
  return { name, value, source: value === undefined ? 'absent' : 'default', description };
}

function defaultOf(name: SettingName): string | undefined {
  const { def } = Settings.shape[name];
  return 'defaultValue' in def ? def.defaultValue : undefined;
}
