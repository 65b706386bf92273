import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { WEBHOOK_EXAMPLES } from '@carillon/contract'
import { Webhook as Signer } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
let receiver: ChildProcess | undefined
afterEach(() => void receiver?.kill('SIGKILL'))

/** Starts an example program as its reader would. */
async function start(name: string): Promise<{ address: string; lines: string[] }> {
  const program = fileURLToPath(new URL(`../examples/webhooks/${name}.js`, import.meta.url))
  receiver = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: SECRET, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const output = createInterface({ input: receiver.stdout! })
  output.on('line', line => lines.push(line))
  const [first] = await once(output, 'line')
  return { address: /listening on (\S+)/.exec(first)![1]!, lines }
}

test.each(['express', 'fastify', 'plain'])(
  'the %s receiver takes what is signed, once, and refuses the rest',
  async name => {
    const { address, lines } = await start(name)
    const event = WEBHOOK_EXAMPLES['notification.sent']
    const body = JSON.stringify(event, null, 1)
    const post = (content: string, at = new Date(), secret = SECRET) =>
      fetch(address, {
        method: 'POST',
        body: content,
        headers: {
          'content-type': 'application/json',
          'webhook-id': event.id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': new Signer(secret).sign(event.id, at, body),
        },
      }).then(answer => answer.status)
    expect(await post(body)).toBe(204)
    expect(await post(body)).toBe(204)
    expect(await post(body.replace('ada', 'bob'))).toBe(400)
    expect(await post(body, new Date(Date.now() - 600_000))).toBe(400)
    expect(await post(body, new Date(), `whsec_${Buffer.alloc(32, 6).toString('base64')}`)).toBe(400)
    expect(await fetch(address, { method: 'POST', body: '{}' }).then(answer => answer.status)).toBe(400)
    expect(lines.slice(1)).toEqual([
      `notification.sent ${(event.data as { notification_id: string }).notification_id}`,
    ])
  },
)
