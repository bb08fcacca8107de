/** The page of a request that cannot go back to its client, because it is not known which client sent it. */

/** The headers and the document. The texts are the client's: nothing in them is executed. */
export function errorPage({ error, error_description: description = '' }: ErrorTexts): ErrorPage {
  const said = `${error}${description === '' ? '' : `: ${description}`}`;
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Not connected · Baton</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"></head>
<body><main><h1>The client was not connected</h1><p>${asText(said)}</p>
<p>Go back to the client, and connect it again.</p></main></body></html>`;
  return { body, headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' } };
}

interface ErrorTexts {
  readonly error: string;
  readonly error_description?: string | undefined;
}

interface ErrorPage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const asText = (text: string): string =>
  text.slice(0, 500).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
