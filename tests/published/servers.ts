/** Servers from npm that many people use, that list their tools over stdio without an account, a download or a build. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PublishedServer {
  /** As npm installs it. */
  readonly spec: string;
  /** `folder`: one of its own. */
  readonly args?: (folder: string) => readonly string[];
  readonly env?: (folder: string) => Readonly<Record<string, string>>;
}

const memoryFile = (folder: string) => ({ MEMORY_FILE_PATH: join(folder, 'memory.json') });

/** A small description of a service, for servers that make tools of one. */
function openApi(folder: string): readonly string[] {
  const price = { name: 'price', in: 'query', schema: { type: 'number', multipleOf: 0.01 } };
  const get = { operationId: 'list', parameters: [price], responses: { 200: { description: 'ok' } } };
  const paths = { '/things': { get } };
  const file = join(folder, 'service.json');
  writeFileSync(file, JSON.stringify({ openapi: '3.0.0', info: { title: 'things', version: '1' }, paths }));
  return ['--openapi-spec', file, '--api-base-url', 'http://127.0.0.1:1'];
}

export const publishedServers: readonly PublishedServer[] = [
  { spec: '@modelcontextprotocol/server-filesystem@2026.8.31', args: (folder) => [folder] },
  { spec: '@modelcontextprotocol/server-memory@2026.8.31', env: memoryFile },
  { spec: '@modelcontextprotocol/server-everything@2026.8.31' },
  { spec: '@modelcontextprotocol/server-sequential-thinking@2026.8.31' },
  { spec: '@playwright/mcp@0.0.83', args: () => ['--headless', '--isolated'] },
  { spec: 'chrome-devtools-mcp@1.11.0', args: () => ['--headless', '--isolated'] },
  { spec: '@upstash/context7-mcp@4.1.1' },
  { spec: '@wonderwhy-er/desktop-commander@0.2.52' },
  { spec: '@antv/mcp-server-chart@0.9.10' },
  { spec: 'mcp-mermaid@0.4.1' },
  { spec: '@cyanheads/git-mcp-server@2.15.3' },
  { spec: '@mui/mcp@0.1.5' },
  { spec: '@eslint/mcp@0.3.13' },
  { spec: 'time-mcp@1.0.6' },
  { spec: 'mcp-fetch-server@1.1.2' },
  { spec: 'mcp-server-kubernetes@4.1.7' },
  { spec: 'mcp-echarts@0.7.1' },
  { spec: '@negokaz/excel-mcp-server@0.12.0' },
  { spec: '@ivotoby/openapi-mcp-server@1.16.1', args: openApi },
  { spec: '@itseasy21/mcp-knowledge-graph@1.0.7', env: memoryFile },
  { spec: 'nx-mcp@0.25.0', args: (folder) => [folder] },
];
