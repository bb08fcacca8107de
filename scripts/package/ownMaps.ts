/**
 * Source maps of our own sources alone. Maps of everything that is bundled would weigh more than the code; what a stack
 * trace of Baton needs is the file and line of Baton.
 */
import { type SourceMapSegment, decode, encode } from '@jridgewell/sourcemap-codec';
import type { Plugin } from 'rolldown';

export const ownMapsPlugin: Plugin = {
  name: 'own-maps',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.js.map')) continue;
      file.source = JSON.stringify(ownPart(JSON.parse(String(file.source)) as SourceMap));
    }
  },
};

interface SourceMap {
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
  readonly sourcesContent?: unknown;
}

/** A column of the code, and the source, line and column that it comes from; alone where it is not ours. */
type Segment = [number] | [number, number, number, number];

function ownPart(map: SourceMap): SourceMap {
  const { sources } = map;
  const kept = sources.flatMap((source, index) => (/node_modules|^\0/.test(source) ? [] : [index]));
  const places = new Map(kept.map((index, place) => [index, place]));
  const own = decode(map.mappings).map((line) => withoutRepeats(line.map((segment) => ownSegment(segment, places))));
  return {
    ...map,
    names: [],
    mappings: encode(own),
    sources: kept.map((index) => (sources[index] ?? '').replace(/^(\.\.\/)+/, '')),
    // A reader of a stack trace has the repository.
    sourcesContent: undefined,
  };
}

function ownSegment([column, source, line, sourceColumn]: SourceMapSegment, places: Map<number, number>): Segment {
  const place = source === undefined ? undefined : places.get(source);
  return place === undefined || line === undefined || sourceColumn === undefined
    ? [column]
    : [column, place, line, sourceColumn];
}

/** One segment for a stretch of foreign code, and one for a line of ours: a stack trace names lines. */
const withoutRepeats = (line: Segment[]): Segment[] =>
  line.filter((segment, index) => {
    const before: Segment = line[index - 1] ?? [0];
    return segment[1] !== before[1] || segment[2] !== before[2];
  });
