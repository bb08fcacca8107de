/** The skill for authors (MCP extension `io.modelcontextprotocol/skills`): how a model writes a workflow over MCP. */
import { languageGuide } from '@baton/language';
import { type Resource, type Server, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import {
  type Skill,
  skillEntry,
  SKILLS_EXTENSION_ID,
  SKILLS_GET_METHOD,
  SKILLS_LIST_METHOD,
} from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod';

import { workflowSteps } from './authoringPrompts.ts';

const name = 'write-baton-workflows';
const description =
  'Write, check, try, deploy and repair durable workflows over MCP tools with Baton. Use it when a task is to be automated, repeated, scheduled, or made safe against crashes.';
const language = 'references/LANGUAGE.md';

const skillText = (): string => `---
name: ${name}
description: ${JSON.stringify(description)}
---

# Write Baton workflows

${workflowSteps}

When a run has failed, call explain_run, then repair_workflow with the corrected source, and deploy with the version that you started from. A call whose outcome is unknown may have happened: find out before anything is done again.

When the person did the task by hand through Baton's gateway, learn_session makes the workflow of that session.

The language on two pages: [${language}](${language}).
`;

const files = (): Record<string, string> => ({ 'SKILL.md': skillText(), [language]: languageGuide() });

const uriOf = (file: string): string => `skill://${name}/${file}`;

export const skillResources: readonly Resource[] = [
  { uri: uriOf('SKILL.md'), name, description, mimeType: 'text/markdown' },
];

/** Undefined if the address names no file of the skill. */
export function readSkill(uri: string): { readonly text: string; readonly mimeType: string } | undefined {
  const found = Object.entries(files()).find(([file]) => uriOf(file) === uri);
  return found && { text: found[1], mimeType: 'text/markdown' };
}

export const skillsCapability = { [SKILLS_EXTENSION_ID]: {} };

/** `cache`: the fields that results have from 2026-07-28 on. */
export function serveSkills(server: Server, cache: { readonly ttlMs?: number; readonly cacheScope?: 'public' }): void {
  const own = (): Promise<Skill> => skillEntry(name, files());
  const Listed = z.looseObject({ cursor: z.string().optional() });
  server.setRequestHandler(SKILLS_LIST_METHOD, { params: Listed }, async () => ({ skills: [await own()], ...cache }));
  server.setRequestHandler(SKILLS_GET_METHOD, { params: z.looseObject({ uri: z.string() }) }, async ({ uri }) => {
    if (uri === uriOf('SKILL.md')) return { skill: await own(), ...cache };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such skill.', { uri: uri.slice(0, 200) });
  });
}
