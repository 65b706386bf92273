import { describe, expect, it, vi } from 'vitest'
import { startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { loadConfig } from '../config/config.ts'
import { createAddressGuard } from './address-guard.ts'
import { createConnector, RefusedAddress } from './connector.ts'
import { createHttpClient, type HttpFailure } from './http-client.ts'
import { observeConnect, resolveFrom } from './observed-connect.fixture.ts'

const PUBLIC = '93.184.216.34'

/** How a call ends: the stage at which it failed, and what it would have connected to by then. */
async function call(url: string, names: Record<string, string[]> = {}, allowedNetworks: string[] = []) {
  const { connect, dialled } = observeConnect()
  const resolve = resolveFrom(Object.fromEntries(Object.entries(names).map(([name, all]) => [name, [all]])))
  const client = createHttpClient({ guard: createAddressGuard(allowedNetworks), connect, resolve })
  const failure = await client
    .send({ method: 'POST', url, body: '{}' }, { signal: new AbortController().signal, timeoutMs: 5000 })
    .then(
      () => undefined,
      (error: HttpFailure) => error,
    )
  await client.close()
  return { stage: failure?.stage, message: failure?.message, dialled }
}

const HOSTILE_URLS = [
  // IPv4 loopback, in every notation a URL may have it
  'http://127.0.0.1/',
  'http://127.255.255.254/',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7F.0.0.1/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://0177.0x0.0.1/',
  'http://127.0.0.1./',
  'http://127.1./',
  'http:127.0.0.1',
  'http:\\\\127.0.0.1\\',
  'http://127.0.\n0.1/',
  'http://%31%32%37.0.0.1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://１２７.０.０.１/',
  'http://127。0。0。1/',
  // other IPv4 that is not the internet
  'http://0/',
  'http://0.0.0.0/',
  'http://0x0/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://0xc0a80101/',
  'http://100.64.0.1/',
  'http://100.127.255.254/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://2852039166/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://198.51.100.7/',
  'http://203.0.113.9/',
  'http://192.88.99.1/',
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  // IPv6
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[0000:0000:0000:0000:0000:0000:0000:0001]/',
  'http://[::]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://[fec0::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://[100::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[5f00::1]/',
  'http://[4000::1]/',
  // IPv6 that is an IPv4 address
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:10.0.0.1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[::7f00:1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  // a parser that reads the wrong part takes these for a public host
  'http://public.example@127.0.0.1/',
  'http://93.184.216.34@10.0.0.1/',
  'http://public.example:80@[::1]/',
  'http://public.example%40x@127.0.0.1/',
  'http://127.0.0.1:80\\@public.example/',
  'http://127.0.0.1#@public.example/',
  'http://127.0.0.1?@public.example/',
  'https://127.0.0.1:6379/',
  // not HTTP
  'file:///etc/passwd',
  'ftp://public.example/',
  'gopher://127.0.0.1:6379/_INFO',
  'ws://public.example/',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'unix:/var/run/docker.sock',
]

const HOSTILE_NAMES: [string, string[]][] = [
  ['localhost', ['127.0.0.1']],
  ['localhost', ['::1', '127.0.0.1']],
  ['localhost.', ['127.0.0.1']],
  ['metadata.google.internal', ['169.254.169.254']],
  ['metadata', ['169.254.169.254']],
  ['127.0.0.1.nip.example', ['127.0.0.1']],
  ['intranet.example', ['10.0.0.5']],
  ['mapped.example', ['::ffff:127.0.0.1']],
  ['compatible.example', ['::127.0.0.1']],
  ['translated.example', ['64:ff9b::a00:1']],
  ['tunnelled.example', ['2002:a00:1::1']],
  ['zoned.example', ['fe80::1%eth0']],
  ['mixed.example', [PUBLIC, '127.0.0.1']],
  ['mixed.example', ['10.0.0.1', PUBLIC]],
  ['mixed.example', [PUBLIC, '::1']],
  ['nonsense.example', ['']],
  ['nonsense.example', ['not-an-address']],
]

describe('URLs that lead anywhere but the internet', { tags: 'S002-22' }, () => {
  it.each(HOSTILE_URLS)('%j is refused before a connection is opened', async url => {
    expect(await call(url, { 'public.example': [PUBLIC] })).toMatchObject({ stage: 'refused', dialled: [] })
  })

  it.each(HOSTILE_NAMES)(
    '%s, which resolves to %j, is refused before a connection is opened',
    async (name, all) => {
      for (const url of [`http://${name}/`, `https://user:secret@${name.toUpperCase()}:8443/path`]) {
        expect(await call(url, { [name]: all })).toMatchObject({ stage: 'refused', dialled: [] })
      }
    },
  )

  it('says which host and what to do, but neither repeats the URL nor tells where a name leads', async () => {
    const { message } = await call('http://user:secret@intranet.example/', {
      'intranet.example': ['10.0.0.5'],
    })
    expect(message).toBe(
      'intranet.example does not lead to a public address; if it is intended, allow its network in CARILLON_ALLOWED_NETWORKS',
    )
  })
})

it('the connector asks the guard itself, whoever uses it', { tags: 'S002-22' }, () => {
  const { connect, dialled } = observeConnect()
  const connector = createConnector({ guard: createAddressGuard(), timeoutMs: 1000, connect })
  for (const hostname of ['127.0.0.1', '::1', '[::1]', '169.254.169.254']) {
    const callback = vi.fn()
    connector({ hostname, protocol: 'http:', port: '80' }, callback)
    expect(callback).toHaveBeenCalledWith(expect.any(RefusedAddress), null)
  }
  connector({ hostname: PUBLIC, protocol: 'http:', port: '80' }, vi.fn())
  expect(dialled).toEqual([PUBLIC])
})

describe('URLs of the internet', () => {
  it.each<[string, string[]]>([
    ['http://93.184.216.34/', [PUBLIC]],
    ['https://93.184.216.34:8443/path?query', [PUBLIC]],
    ['http://8.8.8.8./', ['8.8.8.8']],
    ['http://134744072/', ['8.8.8.8']],
    ['http://0x08.8.2056/', ['8.8.8.8']],
    ['http://100.63.255.255/', ['100.63.255.255']],
    ['http://100.128.0.1/', ['100.128.0.1']],
    ['http://172.32.0.1/', ['172.32.0.1']],
    ['https://[2606:2800:220:1::1946]/', ['2606:2800:220:1::1946']],
    ['https://[2A00:1450:0:0::8B]/', ['2a00:1450::8b']],
    ['https://public.example/', [PUBLIC]],
    ['https://10.0.0.1@public.example/', [PUBLIC]],
    ['https://bücher.example/', ['93.184.216.35']],
    ['https://both.example/', [PUBLIC, '2606:2800:220:1::1946']],
  ])('%s goes as far as the connection', async (url, dialled) => {
    const names = {
      'public.example': [PUBLIC],
      'xn--bcher-kva.example': ['93.184.216.35'],
      'both.example': [PUBLIC, '2606:2800:220:1::1946'],
    }
    expect(await call(url, names)).toEqual({ stage: 'unsent', message: 'not dialled', dialled })
  })

  it.each(['http://nowhere.example/', 'http://empty.example/'])(
    '%s without an address fails for now',
    async url => {
      expect(await call(url, { 'empty.example': [] })).toMatchObject({ stage: 'unsent', dialled: [] })
    },
  )
})

describe('a name that resolves differently the second time', { tags: 'S002-22' }, () => {
  it('is connected to at the address that was checked, and checked again for the next connection', async () => {
    const { connect, dialled } = observeConnect()
    const resolve = resolveFrom({ 'rebinding.example': [[PUBLIC], ['127.0.0.1']] })
    const client = createHttpClient({ guard: createAddressGuard(), connect, resolve })
    const send = () =>
      client.send(
        { method: 'POST', url: 'http://rebinding.example/', body: '' },
        { signal: new AbortController().signal, timeoutMs: 5000 },
      )
    await expect(send()).rejects.toMatchObject({ stage: 'unsent', message: 'not dialled' })
    expect(resolve.asked).toEqual(['rebinding.example'])
    await expect(send()).rejects.toMatchObject({ stage: 'refused' })
    expect(dialled).toEqual([PUBLIC])
    await client.close()
  })

  it('is also stopped by a real socket, not only by an observed one', async () => {
    const receiver = await startHttpReceiver()
    const port = new URL(receiver.url).port
    const resolve = resolveFrom({ 'rebinding.example': [['127.0.0.1']] })
    const strict = createHttpClient({ guard: createAddressGuard(), resolve })
    const lenient = createHttpClient({ guard: createAddressGuard(['127.0.0.0/8']), resolve })
    const request = { method: 'POST' as const, url: `http://rebinding.example:${port}/`, body: '' }
    const options = { signal: new AbortController().signal, timeoutMs: 5000 }
    await expect(strict.send(request, options)).rejects.toMatchObject({ stage: 'refused' })
    expect(receiver.connections.opened).toBe(0)
    expect((await lenient.send(request, options)).status).toBe(200)
    await Promise.all([strict.close(), lenient.close(), receiver.stop()])
  })
})

describe('networks that the operator allows', () => {
  const allowed = ['10.1.0.0/16', 'fd00:1::/32']

  it.each([
    'http://10.1.2.3/',
    'http://[::ffff:10.1.2.3]/',
    'http://[fd00:1::5]/',
    'http://inside.example/',
    'http://93.184.216.34/',
  ])('%s passes', async url => {
    const { stage, dialled } = await call(url, { 'inside.example': ['10.1.9.9'] }, allowed)
    expect(stage).toBe('unsent')
    expect(dialled).toHaveLength(1)
  })

  it.each([
    'http://10.2.0.1/',
    'http://10.0.255.255/',
    'http://127.0.0.1/',
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://[::10.1.2.3]/',
    'http://[64:ff9b::10.1.2.3]/',
    'http://[2002:a01:203::]/',
    'http://[fd00:2::1]/',
    'http://[::ffff:10.2.0.1]/',
    'http://half-inside.example/',
    'ftp://10.1.2.3/',
  ])('%s does not pass with them', async url => {
    const names = { 'half-inside.example': ['10.1.0.1', '10.2.0.1'] }
    expect(await call(url, names, allowed)).toMatchObject({ stage: 'refused', dialled: [] })
  })

  it.each(['10.1.0.0', '10.1.0.0/33', 'example.org', ''])(
    '"%s" is not a network, and the error says so',
    block => {
      expect(() => createAddressGuard([block])).toThrow(
        `"${block}" is not a network such as 10.1.0.0/16 or fd00::/8`,
      )
    },
  )
})

describe('denied networks', () => {
  const guard = createAddressGuard(['10.0.0.0/8'], ['168.63.129.16/32', '10.1.0.0/16'])

  it.each([
    ['168.63.129.16', false],
    ['::ffff:168.63.129.16', false],
    ['168.63.129.17', true],
    ['10.1.2.3', false],
    ['10.2.2.3', true],
  ])('%s: %s, whatever is allowed', (address, allowed) => {
    expect(guard.allows(address)).toBe(allowed)
  })

  it('has the platform address of Azure unless told otherwise', () => {
    expect(loadConfig({}).CARILLON_DENIED_NETWORKS).toEqual(['168.63.129.16/32'])
  })
})
