/**
 * Packs the extension: `npm run package -w editors/vscode` writes dist/baton-workflows-<version>.vsix.
 *
 * A .vsix is a zip with two files of its own beside the extension. It is made here, since `vsce` asks a marketplace
 * and brings two hundred packages.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { strToU8, zipSync } from 'fflate';
import { build } from 'rolldown';

const folder = dirname(fileURLToPath(import.meta.url));
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Without what only building needs. */
function shipped() {
  const building = new Set(['dependencies', 'devDependencies', 'scripts', 'nx', 'private']);
  const rest = Object.fromEntries(Object.entries(manifest).filter(([key]) => !building.has(key)));
  // Its one file of code is CommonJS, which editors load.
  return JSON.stringify({ ...rest, type: 'commonjs' }, undefined, 2);
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const vsixManifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}"/>
    <DisplayName>${escaped(manifest.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(manifest.description)}</Description>
    <Categories>${manifest.categories.join(',')}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(manifest.engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
`;

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".js" ContentType="application/javascript"/><Default Extension=".md" ContentType="text/markdown"/><Default Extension=".txt" ContentType="text/plain"/><Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
`;

/** The path of the file that was written. */
export async function packExtension(target = join(folder, 'dist')) {
  mkdirSync(target, { recursive: true });
  const { output } = await build({
    input: join(folder, 'src/extension.ts'),
    external: ['vscode'],
    platform: 'node',
    write: false,
    output: { format: 'cjs', codeSplitting: false },
  });
  const [bundle] = output;
  const read = (name) => new Uint8Array(readFileSync(join(folder, name)));
  const files = {
    '[Content_Types].xml': strToU8(contentTypes),
    'extension.vsixmanifest': strToU8(vsixManifest),
    'extension/package.json': strToU8(shipped()),
    'extension/README.md': read('README.md'),
    'extension/LICENSE.txt': read('../../LICENSE'),
    'extension/language-configuration.json': read('language-configuration.json'),
    'extension/syntaxes/workflow.tmLanguage.json': read('syntaxes/workflow.tmLanguage.json'),
    'extension/syntaxes/expression.tmLanguage.json': read('syntaxes/expression.tmLanguage.json'),
    'extension/dist/extension.js': strToU8(bundle.code),
  };
  const path = join(target, `${manifest.name}-${manifest.version}.vsix`);
  writeFileSync(path, zipSync(files));
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${await packExtension()}\n`);
