/**
 * The recipes that Baton ships. `recipes.int.test.ts` starts each server that needs no account, makes each call, checks it
 * and undoes it. Of the others it compares the arguments with the published definitions of the tools.
 *
 * A check belongs here only if it never says yes to a call that left something undone, nor no where a second call could
 * do harm.
 */
import type { Recipe } from './recipe.ts';

/**
 * Fits `server-memory`, and servers that were made of it. These calls add what is not there yet, and answer what was new:
 * that all of it is there means that the call has nothing left to do. What was new cannot be seen afterwards, so the
 * checks have no output, and an undo after one of them fails and deletes nothing.
 */
const knowledgeGraph: Recipe['tools'] = {
  create_entities: {
    check: {
      tool: 'open_nodes',
      with: { names: '${{ call.arguments.entities.map(e, e.name) }}' },
      happened: 'call.arguments.entities.all(e, result.output.entities.exists(f, f.name == e.name))',
    },
    undo: { tool: 'delete_entities', with: { entityNames: '${{ call.output.entities.map(e, e.name) }}' } },
  },
  create_relations: {
    check: {
      tool: 'open_nodes',
      with: { names: '${{ call.arguments.relations.map(r, r.from) }}' },
      happened:
        'call.arguments.relations.all(r, result.output.relations.exists(s, s.from == r.from && s.to == r.to && s.relationType == r.relationType))',
    },
    undo: { tool: 'delete_relations', with: { relations: '${{ call.output.relations }}' } },
  },
  add_observations: {
    check: {
      tool: 'open_nodes',
      with: { names: '${{ call.arguments.observations.map(o, o.entityName) }}' },
      happened:
        'call.arguments.observations.all(o, result.output.entities.exists(e, e.name == o.entityName && o.contents.all(c, c in e.observations)))',
    },
    undo: {
      tool: 'delete_observations',
      with: {
        deletions:
          '${{ call.output.results.map(r, {"entityName": r.entityName, "observations": r.addedObservations}) }}',
      },
    },
  },
};

const inRepository = { owner: '${{ call.arguments.owner }}', repo: '${{ call.arguments.repo }}' } as const;

export const recipes: readonly Recipe[] = [
  {
    name: 'filesystem',
    title: 'Files and folders',
    testedWith: '@modelcontextprotocol/server-filesystem@2026.8.31',
    knownBy: ['@modelcontextprotocol/server-filesystem'],
    tools: {
      // The files do not show whether a call edited or moved one, or whether it was so before: these have no check.
      move_file: {
        undo: {
          tool: 'move_file',
          with: { source: '${{ call.arguments.destination }}', destination: '${{ call.arguments.source }}' },
        },
      },
    },
  },
  {
    name: 'memory',
    title: 'A knowledge graph in a file',
    testedWith: '@modelcontextprotocol/server-memory@2026.8.31',
    knownBy: ['@modelcontextprotocol/server-memory'],
    tools: knowledgeGraph,
  },
  {
    name: 'github',
    title: 'Issues and pull requests',
    comparedWith: 'github/github-mcp-server@037661ea',
    knownBy: ['github-mcp-server', 'api.githubcopilot.com/mcp'],
    tools: {
      // No list shows which issue or pull request a call has made: these have no check. What was made is closed.
      create_pull_request: {
        undo: {
          tool: 'update_pull_request',
          with: { ...inRepository, pullNumber: '${{ int(call.output.url.split("/")[6]) }}', state: 'closed' },
        },
      },
      // An update answers the same: what was there before is not closed.
      issue_write: {
        undo: {
          tool: 'issue_write',
          with: {
            ...inRepository,
            method: 'update',
            issue_number:
              '${{ [call.output.url].filter(url, call.arguments.method == "create").map(url, int(url.split("/")[6]))[0] }}',
            state: 'closed',
            state_reason: 'not_planned',
          },
        },
      },
    },
  },
  {
    name: 'notion',
    title: 'Pages',
    comparedWith: 'makenotion/notion-mcp-server@00201df5',
    knownBy: ['@notionhq/notion-mcp-server'],
    tools: {
      // A search finds a page some time after it was made: this has no check. An undo moves the page to the trash.
      'API-post-page': {
        undo: { tool: 'API-patch-page', with: { page_id: '${{ call.output.id }}', in_trash: true } },
      },
    },
  },
];
