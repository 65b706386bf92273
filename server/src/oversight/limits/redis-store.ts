/** Counts limits in Redis, which is cheaper than a commit. Losing what is kept there does no harm: see fallback.ts. */
import { connectRedis } from '../../platform/memory/redis-client.ts'
import type { Counted, Known, LimitStore } from './store.ts'

export interface RedisStore extends LimitStore {
  close(): Promise<void>
}

/**
 * Arguments per key: limit, wanted, what the asker knows and for how long, the window in ms, and whether windows are
 * aligned to the clock (every minute, every day). The first hit sets the expiry, and nothing moves it. Redis's own clock
 * decides, so that all processes agree.
 */
const TAKE = `
  local now = redis.call('TIME')
  local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
  local answers = {}
  for i, key in ipairs(KEYS) do
    local at = (i - 1) * 6
    local limit, wanted = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    local known, known_ms = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    local window, aligned = tonumber(ARGV[at + 5]), ARGV[at + 6] == '1'
    local left = redis.call('PTTL', key)
    local used = 0
    if left > 0 then
      used = tonumber(redis.call('GET', key))
    elseif aligned then
      left = window - now_ms % window
    else
      left = known_ms > 0 and known_ms or window
    end
    if known_ms > 0 and (not aligned or left - known_ms < window / 2) then
      used = math.max(used, known)
    end
    local granted = math.max(0, math.min(wanted, limit - used))
    used = used + granted
    redis.call('SET', key, used, 'PX', left)
    answers[#answers + 1] = granted
    answers[#answers + 1] = used
    answers[#answers + 1] = left
  end
  return answers`

interface Take {
  key: string
  limit: number
  wanted: number
  known: Known
  windowMs: number
  aligned: boolean
}

export function createRedisStore(url: string): RedisStore {
  const redis = connectRedis(url)
  redis.defineCommand('takeLimits', { lua: TAKE })
  const client = redis as unknown as {
    takeLimits(keys: number, ...rest: (string | number)[]): Promise<number[]>
  }

  async function take(takes: Take[]): Promise<Counted[]> {
    const values = takes.flatMap(({ limit, wanted, known, windowMs, aligned }) => [
      limit,
      wanted,
      known.used,
      Math.round(known.ms),
      windowMs,
      aligned ? 1 : 0,
    ])
    const answer = await client.takeLimits(takes.length, ...takes.map(({ key }) => key), ...values)
    return takes.map((_, i) => ({
      granted: answer[3 * i]!,
      used: answer[3 * i + 1]!,
      reset_ms: answer[3 * i + 2]!,
    }))
  }

  return {
    countRequests: asks =>
      take(
        asks.map(({ caller, limit_type, window_seconds, ...ask }) => {
          const who = caller.user_id === null ? `key:${caller.api_key_id ?? ''}` : `user:${caller.user_id}`
          const key = `carillon:limit:${caller.tenant_id}:${limit_type}:${who}`
          return { ...ask, key, windowMs: window_seconds * 1000, aligned: true }
        }),
      ),
    async countTry({ tenant_id, key_hash, window_seconds, limit, known }) {
      const key = `carillon:tries:${tenant_id}:${key_hash}`
      const [counted] = await take([
        { key, limit, wanted: 1, known, windowMs: window_seconds * 1000, aligned: false },
      ])
      return counted!
    },
    async close() {
      redis.disconnect()
    },
  }
}
