/** `THIRD_PARTY.md`: every npm package whose code is inside of the bundle, with its licence. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
  readonly licenses?: readonly { readonly type: string }[];
}

/** `modules`: absolute paths. Throws where a package says nothing of its licence. */
export function thirdParty(modules: readonly string[]): string {
  const packages = [...new Set(modules.flatMap(folderOf))].map(readPackage);
  const sorted = packages.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const byText = Map.groupBy(sorted, ({ licence, text }) => text.trim() || licence);
  const list = sorted.map((one) => `| ${one.name} | ${one.version} | ${one.licence} |`);
  const texts = [...byText].map(([text, of]) => `## ${of.map(nameOf).join(', ')}\n\n\`\`\`text\n${text}\n\`\`\``);
  return `# What others wrote in this package\n\n| package | version | licence |\n| --- | --- | --- |\n${list.join('\n')}\n\n${texts.join('\n\n')}\n`;
}

const nameOf = ({ name, version }: BundledPackage): string => `${name} ${version}`;

/** The innermost package that a module belongs to; none for our own. */
function folderOf(module: string): string[] {
  const found = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(module.replace(/^.*?(?=\/)/, ''));
  return found?.[1] === undefined ? [] : [found[1]];
}

function readPackage(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license, licenses } = manifest;
  const licence =
    typeof license === 'string' ? license : (license?.type ?? licenses?.map(({ type }) => type).join(' OR '));
  if (licence === undefined) throw new Error(`${name} ${version} does not say under which licence it is.`);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const text = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return { name, version, licence, text: text.join('\n\n') };
}
