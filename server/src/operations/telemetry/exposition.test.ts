import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { readExposition } from '../../../test/exposition.ts'
import { createPool } from '../../platform/database/pool.ts'
import { createMetrics } from './metrics.ts'

const carillon = useCarillon({ isApart: true })
const metrics = async () => readExposition((await carillon.api.inject('/metrics')).body)

describe('the text of /metrics', () => {
  beforeAll(async () => {
    await carillon.send()
    await carillon.request('GET', '/v1/users/ada%40example.com')
    await carillon.request('GET', '/v1/users', { key: null })
    await carillon.request('GET', '/v1/nothing/at/all')
    await carillon.request('GET', '/nobody/serves/this')
    await metrics()
  })

  it('/metrics is text that Prometheus’ own check accepts', async () => {
    expect((await metrics()).size).toBeGreaterThan(30)
  })

  it('/metrics has the usual names for what every process has', async () => {
    const names = [...(await metrics()).keys()]
    expect(names).toEqual(
      expect.arrayContaining([
        'process_cpu_seconds_total',
        'process_resident_memory_bytes',
        'process_start_time_seconds',
        'nodejs_eventloop_lag_seconds',
        'nodejs_heap_size_used_bytes',
        'nodejs_version_info',
      ]),
    )
    expect(names.filter(name => /^carillon_(process|nodejs)_/.test(name))).toEqual([])
  })

  it('/metrics says which version runs', async () => {
    const [series] = (await metrics()).get('carillon_build_info')!.series
    expect(series?.[0]).toMatch(
      /^carillon_build_info\{version="\d+\.\d+\.\d+",release="\d+",node_version="v\d+\.\d+\.\d+"\}$/,
    )
    expect(series?.[1]).toBe(1)
  })

  it('/metrics counts requests by method, route pattern and class of status, whatever their paths', async () => {
    const { type, series } = (await metrics()).get('http_request_duration_seconds')!
    expect(type).toBe('histogram')
    const count = (labels: string) => series.get(`http_request_duration_seconds_count{${labels}}`)
    expect(count('method="POST",route="/v1/intents",status_class="2xx"')).toBe(1)
    expect(count('method="GET",route="/v1/users/:id",status_class="4xx"')).toBe(1)
    expect(count('method="GET",route="/v1/users",status_class="4xx"')).toBe(1)
    expect(count('method="GET",route="none",status_class="4xx"')).toBe(2)
    expect([...series.keys()].join()).not.toMatch(/ada|nobody/)
  })
})

describe('without a database', () => {
  const pool = createPool('postgres://nobody@127.0.0.1:1/none')
  afterAll(() => pool.end())

  it('/metrics without a database shows everything else, and no queue looks empty', async () => {
    const families = readExposition(await createMetrics(pool).text())
    expect(families.get('carillon_database_up')!.series).toEqual(new Map([['carillon_database_up', 0]]))
    for (const name of ['carillon_due_routes', 'carillon_oldest_due_seconds', 'carillon_open_dead_letters'])
      expect([name, families.get(name)!.series.size]).toEqual([name, 0])
    expect(families.get('process_cpu_seconds_total')!.series.size).toBe(1)
    const connected = readExposition(await createMetrics(carillon.pool).text())
    expect(connected.get('carillon_database_up')!.series).toEqual(new Map([['carillon_database_up', 1]]))
  })
})

describe('the exposition reader', () => {
  const gauge = (name: string) => `# HELP ${name} A thing\n# TYPE ${name} gauge\n${name} 1\n`
  it.each([
    ['a gauge named like a counter', gauge('things_total')],
    ['a counter without _total', gauge('things').replace('gauge', 'counter')],
    ['a family that comes twice', gauge('things') + gauge('things')],
    ['a series that comes twice', `${gauge('things')}things 2\n`],
    ['a sample of nothing', 'things 1\n'],
    ['a name with a dash', gauge('some-things')],
    ['a unit that is no base unit', gauge('wait_ms')],
    ['a missing end', gauge('things').trimEnd()],
    ['no type', '# HELP things A thing\nthings 1\n'],
    ['buckets without +Inf', '# HELP t A\n# TYPE t histogram\nt_bucket{le="1"} 1\nt_sum 1\nt_count 1\n'],
  ])('the exposition reader refuses %s', (_what, text) => {
    expect(() => readExposition(text)).toThrow()
    expect(readExposition(gauge('things')).size).toBe(1)
  })
})
