/** Lists the calls of the run: effect, who decided it, and what is known of the outcome. */
import { type RunEvent, countText, shownEffectOf } from '@baton/engine';
import { isObject } from '@baton/primitives';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';

import { useWorkflow } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { DurationText, InstantText } from '../parts/timeText.tsx';
import { type EffectCall, type Knowledge, effectsOf, knowledgeWords } from './effects.ts';
import type { RunMoment } from './fold.ts';
import { UndoChip } from './undoChip.tsx';
import { valueText } from './valueText.ts';

interface EffectsViewProps {
  readonly moment: RunMoment;
  readonly events: readonly RunEvent[];
  readonly onStep: (path: string) => void;
}

const looks: Readonly<Record<Knowledge, string>> = {
  intended: 'chip warn',
  answered: 'chip good',
  refused: 'chip bad',
  unsent: 'chip',
  unknown: 'chip bad',
  adopted: 'chip good',
  said: 'chip warn',
  cancelled: 'chip',
};

const rowHeight = 62;

/** Of a journal that is longer, calls are read when a person asks for them: each event of a live run reads it anew. */
const eventsMax = 5_000;

/** The calls of the run, beneath its timeline. */
export function EffectsSection(props: EffectsViewProps) {
  const isLong = props.events.length > eventsMax;
  const [isAsked, setAsked] = useState(false);
  return (
    <section className="beneath" aria-labelledby="effects-title">
      <h2 id="effects-title">Side effects</h2>
      {isLong && !isAsked ? (
        <p className="beneath-body">
          <Button onClick={() => setAsked(true)}>Show the calls of this long run</Button>
        </p>
      ) : (
        <EffectsView {...props} />
      )}
    </section>
  );
}

function EffectsView({ moment, events, onStep }: EffectsViewProps) {
  const [isAll, setAll] = useState(false);
  const calls = useMemo(() => effectsOf(events, moment.seq), [events, moment]);
  const deciders = useDeciders(moment);
  const changes = calls.filter(({ effect }) => effect !== 'read');
  const shown = isAll ? calls : changes;
  const place = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const hasChildren = moment.trace.steps.some(({ verb, awaiting }) => verb === 'workflow' || awaiting?.for === 'child');
  const unknown = calls.filter(({ knowledge, effect }) => knowledge === 'unknown' && effect === 'write').length;
  return (
    <div className="effects">
      <div className="row wrap effects-head">
        {calls.length > 0 && (
          <span>
            {countText(changes.filter(({ effect }) => effect === 'write').length, 'write')},{' '}
            {changes.filter(({ effect }) => effect === 'idempotent').length} idempotent,{' '}
            {countText(calls.length - changes.length, 'read')}
            {unknown > 0 && <b className="red">, {unknown} with an unknown outcome</b>}
          </span>
        )}
        {calls.length > changes.length && (
          <label className="check">
            <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.target.checked)} />
            Show reads
          </label>
        )}
        {changes.length === 0 && (
          <span className="dim">
            {hasChildren
              ? 'Its child runs may have changed something; it did not.'
              : 'It changed nothing in the world.'}
          </span>
        )}
      </div>
      {shown.length > 0 && <EffectHeads />}
      <div
        ref={place}
        className="effects-scroll"
        role="list"
        aria-label="Calls"
        style={{ height: `min(${list.getTotalSize()}px, 60dvh)` }}
      >
        <div style={{ height: list.getTotalSize(), position: 'relative' }}>
          {list.getVirtualItems().map(({ index, start, key }) => {
            const made = shown[index];
            return made === undefined ? null : (
              <div
                key={key}
                role="listitem"
                className="timeline-row"
                ref={list.measureElement}
                data-index={index}
                style={{ transform: `translateY(${start}px)` }}
              >
                <CallRow made={made} decider={deciders(made)} onStep={onStep} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The rows say the same by their words and tooltips: these are for the eye. */
function EffectHeads() {
  return (
    <div className="effect-row effect-heads small faint" aria-hidden="true">
      <span>Effect</span>
      <span>Call</span>
      <span>Decided by</span>
      <span>Outcome</span>
      <span>Time</span>
      <span>Took</span>
    </div>
  );
}

const deciderWords: Readonly<Record<string, string>> = {
  step: 'the step',
  server: 'the configuration of the server',
  annotations: 'the tool’s annotations',
  default: 'the default',
};

/**
 * Finds out who decided the effect of a call, from the pins of the run's version. Empty while that is read: its line has
 * a place meanwhile, so that no row grows.
 */
function useDeciders({ run: { workflow, version } }: RunMoment): (made: EffectCall) => string | undefined {
  const { data, isFetching } = useWorkflow(version === undefined ? undefined : workflow, version);
  return ({ call }) => {
    if (call.verb !== 'tool' || (data === undefined && !isFetching)) return undefined;
    if (data === undefined) return '';
    const pins = isObject(data.pins) ? data.pins : {};
    const pin = pins[`${call.server}/${call.tool}`];
    if (!isObject(pin)) return undefined;
    const from = pin['effect'] === shownEffectOf(call) ? pin['from'] : 'step';
    return typeof from === 'string' ? (deciderWords[from] ?? from) : undefined;
  };
}

interface CallRowProps {
  readonly made: EffectCall;
  readonly decider: string | undefined;
  readonly onStep: (path: string) => void;
}

function CallRow({ made, decider, onStep }: CallRowProps) {
  const { seq, at, path, attempt, call, effect, knowledge, endedAt, undoEnd } = made;
  const target = call.verb === 'tool' ? `${call.server}/${call.tool}` : call.verb;
  const isKeyed = call.verb === 'tool' && call.isKeyed === true;
  return (
    <div className="effect-row" onClick={() => onStep(path)}>
      <span className={`chip ${effect}`} title={decider}>
        {effect}
      </span>
      <button type="button" className="t-name cut" onClick={() => onStep(path)}>
        {target}{' '}
        <span className="faint small">
          {path}
          {attempt > 1 ? `, attempt ${attempt}` : ''}
        </span>
      </button>
      <span className="effect-decider small dim cut" title="Who decided the effect">
        {decider === '' && '\u00a0'}
        {decider !== undefined && decider !== '' && <span className="effect-from">effect from </span>}
        {decider}
        {isKeyed && ', sent with a key: done once'}
      </span>
      <span className="row effect-known">
        <span className={looks[knowledge]} title={knowledgeWords[knowledge]}>
          {knowledge}
        </span>
        {undoEnd !== undefined && <UndoChip end={undoEnd} />}
      </span>
      <span className="effect-time small dim num" title={`Event ${seq}`}>
        <InstantText at={at} />
      </span>
      <span className="small right num">
        <DurationText from={at} to={endedAt ?? at} />
      </span>
      <CallValues made={made} />
    </div>
  );
}

/** What was sent, and what came back. The step's panel has the whole of both. */
function CallValues({ made: { call, value, failure } }: Pick<CallRowProps, 'made'>) {
  const sent = valueText(call.verb === 'sample' ? call.request : call.arguments);
  const came = failure === undefined ? value && valueText(value) : `${failure.code}: ${failure.message}`;
  return (
    <span className="effect-values small">
      <code className="cut" title={sent}>
        {sent}
      </code>
      {came !== undefined && (
        <>
          <span className="faint" aria-hidden="true">
            →
          </span>
          <code className={failure === undefined ? 'cut' : 'cut red'} title={came}>
            {came}
          </code>
        </>
      )}
    </span>
  );
}
