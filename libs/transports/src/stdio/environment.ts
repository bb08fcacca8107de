/** The environment of a stdio server: a few inherited variables, and those of its configuration. */
import { isDeniedVariable, markVariable } from '@baton/protocol';

/** As the SDK's own transport does it (client/stdio, DEFAULT_INHERITED_ENV_VARS), and the language of messages. */
const usual = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TZ', 'TMPDIR'] as const;
/** Network settings: a company's certificate authority and proxy. */
const network = (
  'NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_USE_ENV_PROXY ' +
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy'
).split(' ');
const inherited: readonly string[] = [...usual, ...network];

export type Environment = Readonly<Record<string, string | undefined>>;

export function environmentOf(
  ours: Environment,
  configured: Readonly<Record<string, string>>,
  mark: string | undefined,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of inherited) {
    const value = ours[name];
    // Skips shell functions, which bash exports as values that begin with "()".
    if (value !== undefined && !value.startsWith('()')) values[name] = value;
  }
  for (const [name, value] of Object.entries(configured)) if (!isDeniedVariable(name)) values[name] = value;
  if (mark !== undefined) values[markVariable] = mark;
  return values;
}
