/** Resources for authors: the language on two pages and in full, working examples, and what each server offers. */
import { readdir, readFile } from 'node:fs/promises';

import { type CatalogueCache, reachesServer, reasonFor, type Principal } from '@baton/control';
import { languageGuide } from '@baton/language';
import type { ServersConfig } from '@baton/protocol';
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import * as z from 'zod';

import { authorPages, authorPageUri, isAuthorPage, readAuthorPage } from '../docs/authorPages.ts';
import { oneLine } from '../tools/findTools.ts';
import { generalAnswers } from '../tools/generalAnswers.ts';
import { offersOf } from '../tools/serverOffers.ts';
import { authoringAnswers } from './authoringAnswers.ts';
import { readSkill, skillResources } from './authoringSkill.ts';

export interface AuthoringResourceOptions {
  readonly config: ServersConfig;
  readonly catalogueCache: CatalogueCache;
}

const language = 'baton://language';
const examplesAt = 'baton://examples/';
const docsAt = authorPageUri('');
const answersAt = 'baton://answers/';
const serversAt = 'baton://servers/';
const folder = new URL('../../../../examples/', import.meta.url);
const suffix = '.workflow.yaml';

export const authoringTemplates: readonly ResourceTemplateType[] = [
  { name: 'docs', title: 'A page of the documentation', uriTemplate: `${docsAt}{page}`, mimeType: 'text/markdown' },
  {
    name: 'answer',
    title: 'The schema of what a tool of Baton answers',
    uriTemplate: `${answersAt}{tool}`,
    mimeType: 'application/schema+json',
  },
  { name: 'example', title: 'An example workflow', uriTemplate: `${examplesAt}{name}`, mimeType: 'application/yaml' },
  { name: 'server', title: 'What a server offers', uriTemplate: `${serversAt}{name}`, mimeType: 'application/json' },
];

export async function authoringResources(
  options: AuthoringResourceOptions,
  principal: Principal,
): Promise<readonly Resource[]> {
  const examples = await exampleNames();
  return [
    { uri: language, name: 'language', title: 'The workflow language on two pages', mimeType: 'text/markdown' },
    ...Object.entries(authorPages).map(([name, title]) => ({
      uri: authorPageUri(name),
      name: `docs ${name}`,
      title,
      mimeType: 'text/markdown',
    })),
    ...skillResources,
    ...examples.map((name) => ({ uri: `${examplesAt}${name}`, name: `example ${name}`, mimeType: 'application/yaml' })),
    ...serversFor(options, principal).map((name) => ({
      uri: `${serversAt}${name}`,
      name: `server ${name}`,
      mimeType: 'application/json',
    })),
  ];
}

const serversFor = ({ catalogueCache }: AuthoringResourceOptions, principal: Principal): readonly string[] =>
  catalogueCache.namesFor((allow) => reachesServer(principal, allow));

/** Undefined if the address names none of these. */
export async function readAuthoring(
  options: AuthoringResourceOptions,
  uri: string,
  principal: Principal,
): Promise<{ readonly text: string; readonly mimeType: string } | undefined> {
  if (uri === language) return { text: languageGuide(), mimeType: 'text/markdown' };
  const page = uri.startsWith(docsAt) ? uri.slice(docsAt.length) : '';
  if (isAuthorPage(page)) return { text: await readAuthorPage(page), mimeType: 'text/markdown' };
  const answer = uri.startsWith(answersAt) ? answerSchema(uri.slice(answersAt.length)) : undefined;
  if (answer !== undefined) return { text: JSON.stringify(answer), mimeType: 'application/schema+json' };
  const ofSkill = readSkill(uri);
  if (ofSkill !== undefined) return ofSkill;
  if (uri.startsWith(examplesAt)) {
    const name = uri.slice(examplesAt.length);
    if (!(await exampleNames()).includes(name)) return undefined;
    return { text: await readFile(new URL(`${name}${suffix}`, folder), 'utf8'), mimeType: 'application/yaml' };
  }
  const server = uri.startsWith(serversAt) ? uri.slice(serversAt.length) : '';
  if (!serversFor(options, principal).includes(server)) return undefined;
  const { tools, catalogues, away } = await offersOf(options, [server], {});
  const failure = away.get(server);
  const offered = {
    server,
    ...(failure === undefined ? {} : { unreachable: reasonFor(principal, failure) }),
    tools: tools.map(({ tool, effect }) => ({ name: tool.name, does: oneLine(tool), effect: effect.effect })),
    prompts: catalogues.get(server)?.prompts.map(({ name, description }) => ({ name, description })) ?? [],
    resources: catalogues.get(server)?.resources.map(({ uri: at, name }) => ({ uri: at, name })) ?? [],
  };
  return { text: JSON.stringify(offered), mimeType: 'application/json' };
}

/** Undefined if there is no such tool, or its answer is a text. */
function answerSchema(tool: string): object | undefined {
  const answers: Readonly<Record<string, z.ZodType>> = { ...generalAnswers, ...authoringAnswers };
  const found = Object.hasOwn(answers, tool) ? answers[tool] : undefined;
  return found && z.toJSONSchema(found);
}

/** Empty if Baton is installed without examples. */
async function exampleNames(): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  return files.filter((file) => file.endsWith(suffix)).map((file) => file.slice(0, -suffix.length));
}
