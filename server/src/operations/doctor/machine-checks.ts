/** What the doctor looks at on this machine. */
import { statfs } from 'node:fs/promises'
import { connectRedis } from '../../platform/memory/redis-client.ts'
import { refuseWrongMasterKey } from '../../platform/secrets/sealed-rows.ts'
import { findDifferingZones } from '../../platform/time/zone-rules.ts'
import { bad, type Check, fine, sizeOf, warn } from './patient.ts'
import { selectZoneRules } from './queries.ts'

/** Below this, PostgreSQL may end itself within minutes. */
const LEAST_BYTES = 512 * 1024 ** 2
const FEW_BYTES = 5 * 1024 ** 3

export const disk: Check = {
  name: 'disk',
  async look({ dataDir, isEmbedded }) {
    const { bavail, blocks, bsize, ffree, files } = await statfs(dataDir)
    const free = bavail * bsize
    const summary = `${sizeOf(free)} of ${sizeOf(blocks * bsize)} are free under the data folder.`
    if (files > 0 && ffree / files < 0.02)
      return bad(
        'The disk under the data folder has hardly any inodes left.',
        'Delete files, or make the file system larger.',
      )
    // An external database has disks of its own, which this machine cannot see.
    if (!isEmbedded) return free < LEAST_BYTES ? warn(summary, 'Make room.') : fine(summary)
    const advice =
      'Make room, or shorten the retention of large tenants: a full disk stops PostgreSQL, and with it everything.'
    if (free < LEAST_BYTES) return bad(summary, advice)
    return free < FEW_BYTES && bavail / blocks < 0.1 ? warn(summary, advice) : fine(summary)
  },
}

export const timeZones: Check = {
  name: 'time zones',
  async look({ pool, now }) {
    const own = process.versions.tz ?? 'unknown'
    const given = await selectZoneRules(pool)
    const newest = given[0]?.tz_version ?? ''
    const differing = await findDifferingZones(pool, new Date(now()))
    if (differing.length > 0)
      return newest > own
        ? warn(
            `This Node has the rules ${own}, another process has ${newest}; ${differing.length} zones differ.`,
            'Update Node here, or quiet hours and digests differ between processes.',
          )
        : warn(
            `${differing.length} zones differ between Node (${own}) and PostgreSQL, such as ${differing[0]}.`,
            'Restart Carillon: a start gives PostgreSQL the rules of Node.',
          )
    const zones = given.reduce((sum, row) => sum + row.zones, 0)
    if (zones === 0) return fine(`Node (${own}) and PostgreSQL have the same rules.`)
    return fine(
      `Node has the rules ${own}; PostgreSQL uses them for ${zones} zones that it knew differently.`,
    )
  },
}

export const masterKey: Check = {
  name: 'master key',
  async look({ pool, keyring }) {
    if (keyring === undefined)
      return bad(
        'This machine has no master key.',
        'Set CARILLON_MASTER_KEY, or put the file "master-key" into the data folder.',
      )
    try {
      await refuseWrongMasterKey(pool, keyring)
      return fine('The master key opens the secrets in the database.')
    } catch (error) {
      return bad((error as Error).message, 'With the wrong key providers and webhooks cannot be used.')
    }
  },
}

export const redis: Check = {
  name: 'redis',
  async look({ redisUrl }) {
    if (redisUrl === '') return fine('Redis is not used.')
    const client = connectRedis(redisUrl)
    try {
      await new Promise<void>((resolve, reject) => {
        client.once('ready', resolve)
        client.once('error', reject)
      })
      await client.ping()
      return fine('Redis answers.')
    } catch (error) {
      return warn(
        `Redis does not answer: ${(error as Error).message}`,
        'Carillon works without it, but more slowly. Start it, or correct REDIS_URL.',
      )
    } finally {
      client.disconnect()
    }
  },
}
