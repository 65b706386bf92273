import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { createPool, transaction } from '../../platform/database/pool.ts'
import { compileTurns } from './compile.ts'
import { publishTemplate } from './publish.ts'

const carillon = useCarillon()
const put = (path: string, body: object) => carillon.request('PUT', `/v1/templates/${path}`, { body })
const post = (path: string, body: object = {}) => carillon.request('POST', `/v1/templates/${path}`, { body })
const get = (path: string) => carillon.request('GET', `/v1/templates/${path}`)
const versionsOf = async (path: string) =>
  (await carillon.readAll(`/v1/templates/${path}/versions`, 2)).map(row => row.version)
const publishPart = (path: string) =>
  carillon.request('POST', `/v1/template-parts/${path}/publish`, { body: {} })
const putPart = (path: string, source: string) =>
  carillon.request('PUT', `/v1/template-parts/${path}`, { body: { source } })

describe('publishing', () => {
  beforeAll(async () => {
    await put('t/sms/en', { body: 'one' })
    await post('t/sms/en/publish')
    await put('t/sms/en', { body: 'two' })
  })

  it('publishing numbers a version that later changes of the draft leave alone', async () => {
    expect((await get('t/sms/en')).body).toMatchObject({ body: 'two', published_version: 1 })
    expect((await get('t/sms/en/versions/1')).body).toMatchObject({ body: 'one', is_current: true })
    const second = (await post('t/sms/en/publish')).body
    expect(second).toMatchObject({ version: 2, is_current: true, restored_from: null, replaced_by: null })
    expect((await get('t/sms/en/versions/1')).body).toMatchObject({ body: 'one', is_current: false })
    expect(await versionsOf('t/sms/en')).toEqual([2, 1])
  })

  it('a rollback publishes an older version again and leaves the draft alone', async () => {
    await put('t/sms/en', { body: 'three' })
    const back = (await post('t/sms/en/rollback', { version: 1 })).body
    expect(back).toMatchObject({ version: 3, restored_from: 1, is_current: true })
    expect((await get('t/sms/en/versions/3')).body.body).toBe('one')
    expect((await get('t/sms/en')).body).toMatchObject({ body: 'three', published_version: 3 })
    expect(problemOf(await post('t/sms/en/rollback', { version: 9 })).code).toBe('not_found')
  })

  it('publishing an unchanged draft with only_if_changed returns the current version', async () => {
    await put('same/sms/en', { body: 'one' })
    const versions = []
    for (const body of ['one', 'one', 'two', 'two']) {
      await put('same/sms/en', { body })
      versions.push((await post('same/sms/en/publish', { only_if_changed: true })).body.version)
    }
    expect(versions).toEqual([1, 1, 2, 2])
    expect((await post('same/sms/en/publish')).body.version).toBe(3)
  })

  it('publishing reports a partial that was deleted after the draft was saved', async () => {
    await putPart('partial/soon-gone', 'x')
    await put('loses/sms/en', { body: "{% render 'soon-gone' %}" })
    await carillon.request('DELETE', '/v1/template-parts/partial/soon-gone')
    expect(problemOf(await post('loses/sms/en/publish'))).toMatchObject({ code: 'invalid_template' })
    expect((await get('loses/sms/en')).body.published_version).toBeNull()
  })

  it('a template without a draft cannot be published', async () => {
    expect(problemOf(await post('nothing/sms/en/publish')).code).toBe('not_found')
    expect(problemOf(await get('nothing/sms/en/versions')).code).toBe('not_found')
  })

  it('publishing is audited with the version before and after, and without values if nothing changed', {
    tags: 'S002-26',
  }, async () => {
    await put('told/sms/en', { body: 'one' })
    await post('told/sms/en/publish')
    await put('told/sms/en', { body: 'two' })
    await post('told/sms/en/publish', { replace_waiting: true })
    await post('told/sms/en/publish', { only_if_changed: true })
    await post('told/sms/en/rollback', { version: 1 })
    const rows = await carillon.readAll('/v1/audit-logs?resource_type=template&resource_id=told/sms/en')
    expect(rows.map(row => [row.action, row.old_values, row.new_values]).reverse()).toMatchObject([
      ['create', null, { body: 'one', published_version: null }],
      ['publish', null, { version: 1, is_current: true }],
      ['update', { body: 'one' }, { body: 'two' }],
      ['publish', { version: 1 }, { version: 2, replace_waiting: true }],
      ['publish', {}, {}],
      ['rollback', { version: 2, restored_from: null }, { version: 3, restored_from: 1 }],
    ])
    expect(rows[1]).toMatchObject({ old_values: {}, new_values: {} })
  })

  it('publishing at once over two connections gives each version its own number', async () => {
    await put('race/sms/en', { body: 'x' })
    const pools = [createPool(carillon.url, { max: 4 }), createPool(carillon.url, { max: 4 })]
    const principal = {
      tenant_id: carillon.tenantId,
      api_key_id: '',
      user_id: null,
      scopes: [],
      producers: null,
      expires_at: null,
      requests_per_minute: null,
      notifications_per_day: null,
      quota: { requests_per_minute: null, is_storage_full: false },
    }
    const key = { name: 'race', channel: 'sms', locale: 'en' } as const
    const options = { replace_waiting: false, only_if_changed: false }
    const published = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        transaction(pools[i % 2]!, tx => publishTemplate(tx, principal, key, options)),
      ),
    )
    await Promise.all(pools.map(pool => pool.end()))
    expect(published.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect((await get('race/sms/en')).body.published_version).toBe(8)
    expect(await versionsOf('race/sms/en')).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
  })
})

describe('turns', () => {
  it('templates that wait to be published hold no connection that another tenant needs', async () => {
    const other = await carillon.createTenant('other')
    await put('crowd/sms/en', { body: 'x' })
    await putPart('partial/crowd', 'x')
    // As while styles are being inlined that take long.
    const endTurn = await compileTurns.take(carillon.tenantId)
    const order: string[] = []
    const crowd = Array.from({ length: 30 }, async (_, i) => {
      const publishing = i % 2 === 0 ? post('crowd/sms/en/publish') : publishPart('partial/crowd')
      const { status } = await publishing
      order.push('crowd')
      return status
    })
    const answer = await carillon.request('GET', '/v1/templates', { key: other.key })
    order.push('other')
    endTurn()
    expect(answer.status).toBe(200)
    expect(new Set(await Promise.all(crowd))).toEqual(new Set([200]))
    expect(order[0]).toBe('other')
  })

  it('a preview waits for the turn of its tenant', async () => {
    const endTurn = await compileTurns.take(carillon.tenantId)
    const order: string[] = []
    const preview = post('crowd/sms/en/preview').then(() => order.push('previewed'))
    await get('crowd/sms/en')
    order.push('turn ended')
    endTurn()
    await preview
    expect(order).toEqual(['turn ended', 'previewed'])
  })
})

describe('template parts', () => {
  const text = async (path: string) => (await post(`${path}/preview`)).body.text
  const published = async (path: string) => {
    const { published_version } = (await get(path)).body
    return (await post(`${path}/preview`, { version: published_version })).body
  }

  it('a changed part reaches drafts at once, and published templates when it is published', async () => {
    await putPart('partial/sign', 'Yours, A')
    await put('letter/sms/en', { body: "{% render 'sign' %}" })
    await put('letter/chat/en', { body: "Hi. {% render 'sign' %}" })
    await put('other/sms/en', { body: 'no sign' })
    for (const path of ['letter/sms/en', 'letter/chat/en', 'other/sms/en']) await post(`${path}/publish`)
    await put('letter/chat/en', { body: 'a new draft' })

    await putPart('partial/sign', 'Yours, B')
    expect(await text('letter/sms/en')).toBe('Yours, B')
    const answer = await carillon.request('POST', '/v1/template-parts/partial/sign/publish', { body: {} })
    expect(
      answer.body.published.map((row: Record<string, unknown>) => [row.name, row.channel, row.version]),
    ).toEqual([
      ['letter', 'chat', 2],
      ['letter', 'sms', 2],
    ])
    expect((await get('letter/chat/en/versions/2')).body.body).toContain('Hi.')
    expect((await get('letter/chat/en')).body.body).toBe('a new draft')
    expect((await get('other/sms/en')).body.published_version).toBe(1)
  })

  it('publishing a part that does not exist is not found', async () => {
    const publish = (part: string) =>
      carillon.request('POST', `/v1/template-parts/${part}/publish`, { body: {} })
    expect(problemOf(await publish('partial/nothing'))).toMatchObject({ status: 404, code: 'not_found' })
    expect(problemOf(await publish('layout/sign'))).toMatchObject({ status: 404, code: 'not_found' })
    expect((await publish('layout/default')).status).toBe(200)
  })

  it('a part is published to all templates or to none', async () => {
    await putPart('partial/sign', '{{ who }}')
    const answer = await carillon.request('POST', '/v1/template-parts/partial/sign/publish', { body: {} })
    expect(problemOf(answer)).toMatchObject({ code: 'invalid_template' })
    expect((await get('letter/sms/en')).body.published_version).toBe(2)
  })

  it('a tenant’s default layout is used by drafts at once, and its deletion brings the built-in one back', async () => {
    await put('mail/email/en', { subject: 's', body: '<p>Hi</p>' })
    await post('mail/email/en/publish')
    expect((await get('mail/email/en/versions/1')).body.parts).toEqual(['layout:default'])
    expect((await published('mail/email/en')).html).toContain('prefers-color-scheme')
    await putPart('layout/default', '<html><head></head><body><i>{{ content }}</i></body></html>')
    expect((await published('mail/email/en')).html).toContain('prefers-color-scheme')
    expect((await post('mail/email/en/preview')).body.html).toContain('<i><p>Hi</p></i>')
    await carillon.request('DELETE', '/v1/template-parts/layout/default')
    const { body } = await carillon.request('GET', '/v1/template-parts/layout/default')
    expect(body).toMatchObject({ is_built_in: true, updated_at: null })
  })
})
