/** A page of one notice, where the browser cannot go on. */
import { createHash } from 'node:crypto';

interface Notice {
  readonly title: string;
  /** Sentences; each is a paragraph. They may have the words of others: nothing in them is executed. */
  readonly said: readonly string[];
  /** Where the person can go on; an address of ours. */
  readonly link?: { readonly text: string; readonly address: string };
}

interface NoticePage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers and the document. */
export function noticePage({ title, said, link }: Notice): NoticePage {
  const goOn = link === undefined ? '' : `<p><a href="${asText(link.address, 8_000)}">${asText(link.text)}</a></p>`;
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${asText(title)} · Baton</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>${style}</style></head>
<body><main><h1>${asText(title)}</h1>${said.map((one) => `<p>${asText(one)}</p>`).join('')}${goOn}</main></body></html>`;
  return { body, headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' } };
}

/** Of a browser that does not go on to its client, or of one whose client is not known. The texts are the client's. */
export const notConnected = (error: string, description = ''): NoticePage =>
  noticePage({
    title: 'The client was not connected',
    said: [`${error}${description === '' ? '' : `: ${description}`}`, 'Go back to the client, and connect it again.'],
  });

const style =
  'body{font:16px/1.5 system-ui,sans-serif;display:grid;place-items:center;min-height:90vh;margin:0}main{max-width:34rem;padding:1.5rem;overflow-wrap:anywhere}h1{font-size:1.4rem}';

const styleDigest = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const asText = (text: string, charactersMax = 500): string =>
  text.slice(0, charactersMax).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
