/** Prints openapi.json. The routes are the source; no database is asked. */
import { pino } from 'pino'
import { createApi } from '../api.ts'
import { createReplyWaiter } from '../automation/invocations/waiting.ts'
import { createLiveHub } from '../inbox/live/hub.ts'
import { createMetrics } from '../operations/telemetry/metrics.ts'
import { createLimits } from '../oversight/limits/limits.ts'
import { createTokenDirectory } from '../oversight/user-tokens/directory.ts'
import { createPool } from '../platform/database/pool.ts'
import { createAddressGuard } from '../platform/outgoing/address-guard.ts'
import { createHttpClient } from '../platform/outgoing/http-client.ts'
import { createSandbox } from '../platform/sandbox/sandbox.ts'
import { createKeyring, newMasterKey } from '../platform/secrets/keyring.ts'
import { createOutputStreams } from '../reactions/output-streams/output-streams.ts'

const guard = createAddressGuard()
const pool = createPool('postgres://nowhere.invalid/none')
const keyring = createKeyring([newMasterKey()])
const tokens = createTokenDirectory({ db: pool, keyring })
const app = await createApi({
  pool,
  log: pino({ level: 'silent' }),
  keys: { authenticate: async () => undefined, forget: () => {} },
  acceptor: { accept: () => Promise.reject(new Error('only for documentation')), drained: async () => {} },
  events: { append: () => Promise.reject(new Error('only for documentation')), drained: async () => {} },
  limits: createLimits({ db: pool, redisUrl: '', onRedisLost: () => {}, onRedisBack: () => {} }),
  metrics: createMetrics(pool),
  keyring,
  directory: {
    candidates: async () => [],
    peekCandidates: async () => [],
    callbackOf: async () => undefined,
    receiptsOf: async () => undefined,
    forget: () => {},
    releaseRemoved: async () => {},
    close: async () => {},
  },
  outgoing: { guard, http: createHttpClient({ guard }), streams: createOutputStreams({}) },
  sandbox: createSandbox({ workers: 1 }),
  publicUrl: '',
  onDue: () => {},
  replies: createReplyWaiter({ pool, onError: () => {} }),
  tokens,
  live: createLiveHub({ pool, ended: tokens.ended, onError: () => {} }),
  isServing: () => false,
  examine: () => Promise.reject(new Error('only for documentation')),
})
await app.ready()
process.stdout.write(`${JSON.stringify(app.swagger(), null, 2)}\n`)
await app.close()
await pool.end()
