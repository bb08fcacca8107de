import type { TimeScale } from './timeScale.ts';

/** Ticks that fit on a narrow axis. */
const fewTicks = 3;
/** On the narrowest axis, a label further right would overlap the next column. */
const middle = 0.6;

/** The first line of the timeline: the times of its columns. It stays in view, and is as wide as the rows. */
export function TimeAxis({ scale }: { readonly scale: TimeScale }) {
  return (
    <div className="timeline-axis small faint num" aria-hidden="true">
      <span className="axis-label">Step</span>
      <div className={`axis-track${scale.ticks.length > fewTicks ? ' dense' : ''}`}>
        {scale.ticks.map(({ share, label }) => (
          <span key={share} className={share > middle ? 'late' : ''} style={{ left: `${share * 100}%` }}>
            {label}
          </span>
        ))}
      </div>
      <span className="axis-took">Took</span>
    </div>
  );
}
