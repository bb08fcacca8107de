import { type Meter, type Meters, UnavailableError } from '@baton/runner';

import type { RedisConnection } from './redisConnection.ts';

/**
 * Takes a turn. Times are of Redis, in milliseconds with a fraction. The value of a meter is when the bucket is full
 * again, less its burst: the generic cell rate algorithm. Numbers are returned as text: Redis cuts their fraction.
 *
 * KEYS: meter, pauses. ARGV: server, everyMs, burst, withinMs (negative: any).
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local from = math.max(now, tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or 0))
local every, burst, within = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), from)
local wait = math.max(from, full - (burst - 1) * every) - now
if within >= 0 and wait > within then return { '0', string.format('%.3f', wait) } end
redis.call('SET', KEYS[1], string.format('%.3f', full + every), 'PX', string.format('%.0f', full + every - now + 1000))
return { '1', string.format('%.3f', wait) }`;

/** KEYS: pauses. ARGV: server, forMs. Drops pauses that are over. */
const pauseScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do if tonumber(all[i + 1]) <= now then redis.call('HDEL', KEYS[1], all[i]) end end
local until_ = math.max(now + ARGV[2], tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0))
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.3f', until_))`;

/** KEYS: pauses. Returns names and what is left of each. */
const pausesScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local all = redis.call('HGETALL', KEYS[1])
for i = 2, #all, 2 do all[i] = string.format('%.3f', all[i] - now) end
return all`;

/** Meters in Redis. They are gone with it: the buckets are then full, and turns that were handed out still come. */
export function redisMeters(redis: RedisConnection, prefix: string): Meters {
  const pauses = `${prefix}:rate:pauses`;
  const run = async (script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> => {
    try {
      return await redis.eval(script, keys.length, ...keys, ...args);
    } catch (error) {
      throw new UnavailableError('Redis did not say when the call may be made', { cause: error });
    }
  };
  return {
    async take({ name, server, everyMs, burst, withinMs = -1 }: Meter) {
      const told = await run(takeScript, [`${prefix}:rate:${name}`, pauses], [server, everyMs, burst, withinMs]);
      const [isTaken, waitMs] = told as [string, string];
      return { isTaken: isTaken === '1', waitMs: Number(waitMs) };
    },
    async pause(server, forMs) {
      await run(pauseScript, [pauses], [server, forMs]);
    },
    async pauses() {
      const told = (await run(pausesScript, [pauses], [])) as readonly string[];
      const servers = told.filter((_, at) => at % 2 === 0);
      return new Map(servers.map((server, at) => [server, Number(told[2 * at + 1])] as const));
    },
  };
}
