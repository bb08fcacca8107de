/**
 * A picture of the dashboard's panels: their queries, answered by a Prometheus, as lines. It is no Grafana, which this machine
 * cannot have; place, title, query and unit are those of deploy/helm/files/dashboard.json.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  /** Seconds since 1970, and the value. */
  readonly values: readonly (readonly [number, string])[];
}

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
  readonly fieldConfig?: { readonly defaults?: { readonly unit?: string } };
}

const file = fileURLToPath(new URL('../../deploy/helm/files/dashboard.json', import.meta.url));
const panels = (): readonly Panel[] => (JSON.parse(readFileSync(file, 'utf8')) as { panels: Panel[] }).panels;

const unit = { x: 44, y: 24 };
const colours = ['#3572b0', '#c2562d', '#3d8b4f', '#8a5cab', '#b08d2b', '#5a6772'];
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const legend = (format: string, { metric }: Series): string =>
  format.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => metric[name] ?? '');

/** An SVG. `ask`: the answer of `query_range` over the time that is shown. */
export async function drawPanels(ask: (expr: string) => Promise<readonly Series[]>, told: string): Promise<string> {
  const drawn: string[] = [];
  let bottom = 0;
  for (const panel of panels()) {
    const lines: Line[] = [];
    for (const { expr, legendFormat = '' } of panel.targets)
      for (const series of await ask(expr))
        lines.push({ name: legend(legendFormat, series), points: pointsOf(series) });
    drawn.push(drawPanel(panel, lines));
    bottom = Math.max(bottom, panel.gridPos.y + panel.gridPos.h);
  }
  const [width, height] = [24 * unit.x, bottom * unit.y + 24];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10">
<rect width="${width}" height="${height}" fill="#f4f5f5"/>
${drawn.join('\n')}
<text x="8" y="${height - 8}" fill="#5a6772">${escaped(told)}</text>
</svg>
`;
}

interface Line {
  readonly name: string;
  readonly points: readonly (readonly [at: number, value: number])[];
}

const pointsOf = ({ values }: Series): Line['points'] =>
  values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value));

function drawPanel({ title, gridPos, fieldConfig }: Panel, lines: readonly Line[]): string {
  const [x, y, w, h] = [gridPos.x * unit.x + 4, gridPos.y * unit.y + 4, gridPos.w * unit.x - 8, gridPos.h * unit.y - 8];
  const all = lines.flatMap(({ points }) => points);
  const [first, last] = [Math.min(...all.map(([at]) => at)), Math.max(...all.map(([at]) => at))];
  const most = Math.max(0, ...all.map(([, value]) => value)) || 1;
  const [left, top, wide, high] = [x + 40, y + 24, w - 50, h - 62];
  const place = ([at, value]: readonly [number, number]): string =>
    `${(left + (wide * (at - first)) / Math.max(1, last - first)).toFixed(1)},${(top + high * (1 - value / most)).toFixed(1)}`;
  const shown = fieldConfig?.defaults?.unit ?? '';
  const of = (value: number): string => `${Number(value.toPrecision(2))}${shown === 's' ? ' s' : ''}`;
  return [
    `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="#fff" stroke="#d8dadd"/>`,
    `<text x="${x + 8}" y="${y + 16}" font-weight="bold">${escaped(title)}</text>`,
    `<path d="M${left},${top} v${high} h${wide}" fill="none" stroke="#d8dadd"/>`,
    `<text x="${left - 4}" y="${top + 8}" text-anchor="end">${of(most)}</text><text x="${left - 4}" y="${top + high}" text-anchor="end">0</text>`,
    ...lines
      .slice(0, colours.length)
      .map(
        ({ name, points }, at) =>
          `<polyline points="${points.map(place).join(' ')}" fill="none" stroke="${colours[at]}"/><text x="${x + 8 + (at % 3) * (w / 3)}" y="${y + h - 18 + Math.floor(at / 3) * 12}" fill="${colours[at]}">${escaped(name.slice(0, 26))}</text>`,
      ),
    lines.length === 0
      ? `<text x="${x + w / 2}" y="${y + h / 2}" text-anchor="middle" fill="#5a6772">no data</text>`
      : '',
  ].join('');
}
