/** The recipes that Baton ships. `recipes.int.test.ts` starts each server, makes each call, checks it and undoes it. */
import type { Recipe } from './recipe.ts';

/** Fits `server-memory`, and servers that were made of it. */
const knowledgeGraph: Recipe['tools'] = {
  create_entities: {
    check: {
      tool: 'open_nodes',
      with: { names: '${{ call.arguments.entities.map(e, e.name) }}' },
      happened: 'call.arguments.entities.all(e, result.output.entities.exists(f, f.name == e.name))',
      output: '{"entities": result.output.entities.filter(f, call.arguments.entities.exists(e, e.name == f.name))}',
    },
    undo: { tool: 'delete_entities', with: { entityNames: '${{ call.output.entities.map(e, e.name) }}' } },
  },
  create_relations: {
    check: {
      tool: 'open_nodes',
      with: { names: '${{ call.arguments.relations.map(r, r.from) }}' },
      happened:
        'call.arguments.relations.all(r, result.output.relations.exists(s, s.from == r.from && s.to == r.to && s.relationType == r.relationType))',
      output: '{"relations": call.arguments.relations}',
    },
    undo: { tool: 'delete_relations', with: { relations: '${{ call.output.relations }}' } },
  },
  add_observations: {
    check: {
      tool: 'open_nodes',
      with: { names: '${{ call.arguments.observations.map(o, o.entityName) }}' },
      happened:
        'call.arguments.observations.all(o, result.output.entities.exists(e, e.name == o.entityName && o.contents.all(c, c in e.observations)))',
      output:
        '{"results": call.arguments.observations.map(o, {"entityName": o.entityName, "addedObservations": o.contents})}',
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

export const recipes: readonly Recipe[] = [
  {
    name: 'filesystem',
    title: 'Files and folders',
    testedWith: '@modelcontextprotocol/server-filesystem@2026.8.31',
    knownBy: ['@modelcontextprotocol/server-filesystem'],
    tools: {
      // Whether an edit happened cannot be seen in the file: `edit_file` has no check.
      move_file: {
        check: {
          tool: 'list_directory',
          with: { path: '${{ call.arguments.source.substring(0, call.arguments.source.lastIndexOf("/")) }}' },
          happened:
            '!result.output.content.split("\\n").exists(line, line.substring(line.indexOf(" ") + 1) == call.arguments.source.substring(call.arguments.source.lastIndexOf("/") + 1))',
          output: '{"content": "Successfully moved " + call.arguments.source + " to " + call.arguments.destination}',
        },
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
];
