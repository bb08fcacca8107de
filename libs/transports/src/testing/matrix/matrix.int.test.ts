/**
 * Every feature, over every way to every server: real ones, nothing scripted. A cell is run, or it says why it cannot be;
 * `docs/reference/matrix.md` shows the whole.
 */
import { freePort } from '@baton/boot';
import { listener, registered } from '@baton/devices/testing';
import { freshDatabase } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { openTrial, trial, type TestServers } from '../testServers.ts';
import { asked } from './asked.ts';
import type { AbsentFeature, Cell, Feature, CellUse } from './cell.ts';
import { columns, revisions, type OpenedServer, type ServerName, type MatrixWay } from './columns.ts';
import { going } from './going.ts';
import { offered } from './offered.ts';
import { page } from './page.ts';

const features: readonly (readonly [string, Feature])[] = Object.entries({ ...offered, ...going, ...asked });

const isAbsent = <U>(cell: Cell<U>): cell is AbsentFeature<U> => typeof cell !== 'function';

function cellOf(feature: Feature, server: Exclude<ServerName, 'device'>, way: MatrixWay): Cell<CellUse> {
  const cell = feature[server];
  return way === 'plain' && !isAbsent(cell) ? (feature.plain ?? cell) : cell;
}

/** What a cell does, and what it is called. */
function cells<U>(cellFor: (feature: Feature) => Cell<U>): readonly (readonly [string, (use: U) => Promise<void>])[] {
  return features.flatMap(([name, feature]) => {
    const cell = cellFor(feature);
    if (!isAbsent(cell)) return [[name, cell] as const];
    return cell.check === undefined ? [] : [[`no ${name}: ${cell.why}`, cell.check] as const];
  });
}

const pairs = (['server-postgres', 'server-everything', 'modern'] as const).flatMap((server) =>
  (['stdio', 'http', 'sse', 'plain'] as const).flatMap((way) => {
    const open = columns[server][way];
    return typeof open === 'string' ? [] : [{ server, way, open }];
  }),
);

describe.each(pairs)('$server over $way', ({ server, way, open }) => {
  let opened: OpenedServer;
  let it: TestServers;
  const trialOf = (baton: object = {}): Record<string, object> => {
    const { baton: own } = opened.entry as { readonly baton?: object };
    return { it: { ...opened.entry, baton: { ...own, ...baton } } };
  };

  beforeAll(async () => {
    opened = await open({ freePort, freshDatabase });
    it = openTrial(trialOf());
  });

  afterAll(async () => {
    await it.close();
    await opened.close();
  });

  test.each(cells((feature) => cellOf(feature, server, way)))('%s', async (_, check) => {
    await check({ it, open: (baton, options) => trial(trialOf(baton), options) });
  });

  test('the revision is the one that it should be', async () => {
    await it.catalogue('it');
    // To plain HTTP the server of 2026-07-28 is what it is to older clients.
    const revision = server === 'modern' && way === 'plain' ? '2025-11-25' : revisions[server];
    expect(it.status()).toMatchObject([{ protocolVersion: revision }]);
  });
});

describe('a device over the framed protocol', () => {
  const open = {
    description: 'Opens the door',
    parameters: { properties: { speed: { type: 'number|string', minimum: 1 } }, required: ['speed'] },
  };

  test.each(cells(({ device }) => device))('%s', async (_, check) => {
    const devices = await listener();
    const device = await registered(devices, 'it', { open });
    const it = openTrial({}, { devices });
    onTestFinished(() => it.close());
    await check({ it, devices, device });
  });
});

test('the grid is complete: each cell is run, or says why it cannot be', async () => {
  await expect(page(features, cellOf)).toMatchFileSnapshot('../../../../../docs/reference/matrix.md');
});
