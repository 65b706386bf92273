import { expect, test } from 'vitest'
import { startReceiver } from '../test/receiver.ts'
import { createClient } from './client.ts'
import { CarillonConnectionError } from './errors.ts'

async function textOf(pieces: AsyncGenerator<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

test('an export is read as it arrives, with the key and the query', async () => {
  const { url, requests } = await startReceiver({ text: 'id,action\r\n1,größer\r\n' })
  const client = createClient({ url, apiKey: 'ck_x' })
  expect(await textOf(client.auditLogs.export({ format: 'csv', action: 'delete' }))).toBe(
    'id,action\r\n1,größer\r\n',
  )
  expect(requests[0]).toMatchObject({
    method: 'GET',
    url: '/v1/audit-logs/export?format=csv&action=delete',
    headers: { authorization: 'Bearer ck_x' },
  })
})

test('a refusal is thrown as a CarillonError', async () => {
  const problem = { code: 'forbidden', title: 'No', status: 403, detail: 'needs audit_logs:read' }
  const { url } = await startReceiver({ status: 403, json: problem })
  await expect(textOf(createClient({ url, apiKey: 'k' }).auditLogs.export())).rejects.toMatchObject({
    name: 'CarillonError',
    code: 'forbidden',
    status: 403,
  })
})

test('a server that hangs up or is silent is a connection error, and nothing is repeated', async () => {
  const gone = await startReceiver('hang up')
  await expect(textOf(createClient({ url: gone.url, apiKey: 'k' }).auditLogs.export())).rejects.toThrow(
    CarillonConnectionError,
  )
  expect(gone.requests).toHaveLength(1)
  const mute = await startReceiver('silence')
  const client = createClient({ url: mute.url, apiKey: 'k', timeoutMs: 50 })
  await expect(textOf(client.auditLogs.export())).rejects.toMatchObject({ code: 'timeout' })
})

test('the caller may abort', async () => {
  const { url, requests } = await startReceiver({ text: 'x' })
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(textOf(createClient({ url, apiKey: 'k' }).auditLogs.export({}, { signal }))).rejects.toThrow(
    'enough',
  )
  expect(requests).toHaveLength(0)
})
