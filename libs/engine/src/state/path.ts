/**
 * The path of a step within a run: step keys and frame names, in turn, joined by `/`.
 *
 *   scan                    a step of the workflow's own list
 *   scans/3/scan            in item 3 of the forEach `scans`
 *   charge/@onError/notify  in the handler of `charge`
 *   @finally/release        in the run's `finally`
 */
export type Path = string;

/** The frames of a run that are not inside a step. */
const rootFrames = ['@main', '@onFailure', '@finally'] as const;
export type RootFrame = (typeof rootFrames)[number];

/** Splits a path into the root frame, then step key, frame name, step key, … The last is always a step key. */
export function parsePath(path: Path): readonly [RootFrame, ...string[]] {
  const segments = path.split('/');
  const first = segments[0];
  return first === '@onFailure' || first === '@finally' ? [first, ...segments.slice(1)] : ['@main', ...segments];
}

/** The path prefix of a root frame's steps. */
export const rootPrefix: Record<RootFrame, string> = {
  '@main': '',
  '@onFailure': '@onFailure/',
  '@finally': '@finally/',
};

/** The prefix of the steps inside a frame of the step at `path`. */
export function framePrefix(path: Path, frame: string | number): string {
  return `${path}/${frame}/`;
}

/**
 * Whether the path is one of `outer`, or lies inside one of them. Looks up the beginnings of the path, so the time does
 * not depend on how many there are.
 */
export function isInsideAny(path: Path, outer: ReadonlySet<Path>): boolean {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    if (outer.has(path.slice(0, end))) return true;
  return outer.has(path);
}
