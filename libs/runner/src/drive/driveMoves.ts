/**
 * The state machine of a drive: (state, input) → (action, next state). Pure data; `driver.ts` carries out the actions,
 * and each action returns the next input.
 *
 * Any action may return `stale` (the journal must be read again), and what an action rejects with `UnavailableError` is
 * `stale` too: calls in flight go on, and the action is tried again.
 */
import { invariant } from '@baton/engine';

/**
 * finished  the run is over, and its end is durable
 * waiting   nothing can happen before an instant, or before another process appends
 * lost      another worker drives the run
 * left      this worker was asked to release the run, and did
 */
export type DriveOutcome = 'finished' | 'waiting' | 'lost' | 'left';

/**
 * claiming    nothing is written yet
 * driving     this worker owns the run: it decides, makes calls and waits for them
 * leaving     asked to release the run: nothing new begins, the calls in flight are waited for
 * ending      the end of the run is appended, and not durable yet
 * resting     the release of a run that can only wait is appended, and not durable yet
 * releasing   the release of a run to any other worker is appended, and not durable yet
 * recovering  an append or a read failed, or another process appended: the journal is read again
 */
export type DriveState = 'claiming' | 'driving' | 'leaving' | 'ending' | 'resting' | 'releasing' | 'recovering';

/** The inputs that each action may return, besides `stale`. */
export interface DriveInputs {
  /** Claims the run, unless a claim would change nothing (`idle`), or the worker leaves already (`unwanted`). */
  readonly claim: 'happened' | 'leaveAsked' | 'idle' | 'unwanted' | 'valueLost';
  /** Folds what happened, decides what follows, appends both, starts and aborts calls. */
  readonly settle: 'ended' | 'sliceOver' | 'busy' | 'idle' | 'valueLost';
  /** Stops the run, whose decision needs a value that is lost; ends it where that cannot be decided either. */
  readonly stopRun: 'happened' | 'ended';
  /** Lets other runs decide, then collects what came meanwhile. */
  readonly yield: 'happened' | 'leaveAsked';
  /** Waits until a call ends, a hint comes or time is due, then collects what came. */
  readonly await: 'happened' | 'leaveAsked';
  /** As `await`, for a run that is being released. */
  readonly linger: 'leaveAsked';
  /** Appends what happened without deciding what follows; releases the run when no call is in flight. */
  readonly windUp: 'busy' | 'released';
  /** Appends `run.waiting`. */
  readonly rest: 'durable';
  /** Waits until everything that was appended is durable. */
  readonly confirm: 'durable';
  /** Discards what is not durable, and reads from the journal the state and the owner of the run. */
  readonly reopen: 'happened' | 'leaveAsked' | 'unclaimed' | 'endedHere' | 'taken' | 'unreadable';
  /** Rings for the run at the instant at which it can go on. */
  readonly ring: 'rung';
}

export type DriveAction = keyof DriveInputs;

export type DriveInput = DriveInputs[DriveAction] | 'stale';

export type DriveMove =
  | { readonly does: DriveAction; readonly next: DriveState }
  | { readonly does: 'stop'; readonly next: DriveOutcome };

type MoveTable = Readonly<Record<DriveState, Partial<Readonly<Record<DriveInput, DriveMove>>>>>;

/** Inputs for which the table has no move in the state in which an action may return them. */
type UnlistedInputs<Table extends MoveTable> = {
  [From in DriveState]: {
    [Input in keyof Table[From]]: Table[From][Input] extends {
      readonly does: infer Action extends DriveAction;
      readonly next: infer Next extends DriveState;
    }
      ? Exclude<DriveInputs[Action] | 'stale', keyof Table[Next]>
      : never;
  }[keyof Table[From]];
}[DriveState];

/** `Table`, if it has a move for every input that an action may return; else the missing inputs. */
type CompleteTable<Table extends MoveTable> = [UnlistedInputs<Table>] extends [never] ? Table : UnlistedInputs<Table>;

const recover = { does: 'reopen', next: 'recovering' } as const;
const settle = { does: 'settle', next: 'driving' } as const;
const windUp = { does: 'windUp', next: 'leaving' } as const;
const stopRun = { does: 'stopRun', next: 'driving' } as const;

const moves = {
  claiming: {
    happened: settle,
    leaveAsked: windUp,
    idle: { does: 'stop', next: 'waiting' },
    unwanted: { does: 'stop', next: 'left' },
    valueLost: stopRun,
    stale: recover,
  },
  driving: {
    happened: settle,
    leaveAsked: windUp,
    stale: recover,
    valueLost: stopRun,
    sliceOver: { does: 'yield', next: 'driving' },
    busy: { does: 'await', next: 'driving' },
    idle: { does: 'rest', next: 'resting' },
    ended: { does: 'confirm', next: 'ending' },
  },
  leaving: {
    busy: { does: 'linger', next: 'leaving' },
    leaveAsked: windUp,
    stale: recover,
    released: { does: 'confirm', next: 'releasing' },
  },
  ending: {
    durable: { does: 'stop', next: 'finished' },
    stale: recover,
  },
  resting: {
    durable: { does: 'ring', next: 'resting' },
    rung: { does: 'stop', next: 'waiting' },
    stale: recover,
  },
  releasing: {
    durable: { does: 'ring', next: 'releasing' },
    rung: { does: 'stop', next: 'left' },
    stale: recover,
  },
  recovering: {
    happened: settle,
    leaveAsked: windUp,
    unclaimed: { does: 'claim', next: 'claiming' },
    stale: recover,
    endedHere: { does: 'stop', next: 'finished' },
    taken: { does: 'stop', next: 'lost' },
    unreadable: { does: 'stop', next: 'left' },
  },
} as const satisfies MoveTable;

/** All moves of a drive. The compiler checks that no other pair of state and input can occur. */
export const driveMoves: CompleteTable<typeof moves> = moves;

/** Looks up the next move. Throws `InvariantError` for a pair that the table does not list. */
export function driveMove(state: DriveState, input: DriveInput): DriveMove {
  const listed: MoveTable[DriveState] = driveMoves[state];
  const move = listed[input];
  invariant(move !== undefined, `a drive that is ${state} has no move for ${input}`);
  return move;
}
