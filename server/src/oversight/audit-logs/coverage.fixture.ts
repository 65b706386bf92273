/** Operations of webhooks and templates for the coverage of the audit log, each ready to be called with success. */
import type { Answer, RequestOptions, TestCarillon } from '../../../test/carillon.ts'

export interface Expected {
  path: string
  options?: RequestOptions
  /** action, resource type and resource id of the row; a function when the answer has the id */
  row: (body: Answer['body']) => [string, string, string | null]
}
export type Case = () => Promise<Expected> | Expected

const WEBHOOK = { url: 'https://example.com/hook', events: ['notification.sent'] }

export function webhookCases(carillon: TestCarillon): Record<string, Case> {
  const aWebhook = async (): Promise<string> =>
    (await carillon.request('POST', '/v1/webhooks', { body: WEBHOOK })).body.id

  async function aFailedDelivery(webhookId: string): Promise<string> {
    const { rows } = await carillon.pool.query(
      `insert into webhook_deliveries (tenant_id, id, webhook_id, event_id, event_type, payload, attempts)
       values ($1, uuid_v7(), $2, uuid_v7(), 'notification.sent', '{}', '[]') returning id`,
      [carillon.tenantId, webhookId],
    )
    return rows[0].id
  }

  return {
    'POST /v1/webhooks': () => ({
      path: '/v1/webhooks',
      options: { body: WEBHOOK },
      row: body => ['create', 'webhook', body.id],
    }),
    'PATCH /v1/webhooks/{id}': async () => {
      const id = await aWebhook()
      const options = { body: { is_paused: true } }
      return { path: `/v1/webhooks/${id}`, options, row: () => ['update', 'webhook', id] }
    },
    'DELETE /v1/webhooks/{id}': async () => {
      const id = await aWebhook()
      return { path: `/v1/webhooks/${id}`, row: () => ['delete', 'webhook', id] }
    },
    'POST /v1/webhooks/{id}/rotate': async () => {
      const id = await aWebhook()
      return { path: `/v1/webhooks/${id}/rotate`, row: () => ['rotate', 'webhook', id] }
    },
    'POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': async () => {
      const webhook = await aWebhook()
      const id = await aFailedDelivery(webhook)
      return {
        path: `/v1/webhooks/${webhook}/deliveries/${id}/redeliver`,
        row: () => ['redeliver', 'webhook_delivery', id],
      }
    },
    'POST /v1/webhooks/{id}/recoveries': async () => {
      const webhook = await aWebhook()
      await aFailedDelivery(webhook)
      return {
        path: `/v1/webhooks/${webhook}/recoveries`,
        options: { body: { since: '2020-01-01T00:00:00Z' } },
        row: body => ['create', 'webhook_recovery', body.id],
      }
    },
  }
}

export function templateCases(carillon: TestCarillon): Record<string, Case> {
  const put = (path: string, body: object) => carillon.request('PUT', `/v1/${path}`, { body })

  async function aPublished(name: string, body = 'Hello'): Promise<string> {
    const path = `${name}/sms/en`
    await put(`templates/${path}`, { body })
    await carillon.request('POST', `/v1/templates/${path}/publish`, { body: {} })
    return path
  }

  return {
    'PUT /v1/templates/{name}/{channel}/{locale}': () => ({
      path: '/v1/templates/draft/sms/pt-br',
      options: { body: { body: 'Hello' } },
      row: () => ['create', 'template', 'draft/sms/pt-BR'],
    }),
    'PATCH /v1/templates/{name}/{channel}/{locale}': async () => {
      const path = await aPublished('switched')
      const options = { body: { is_active: false } }
      return { path: `/v1/templates/${path}`, options, row: () => ['update', 'template', path] }
    },
    'DELETE /v1/templates/{name}/{channel}/{locale}': async () => {
      const path = await aPublished('outdated')
      return { path: `/v1/templates/${path}`, row: () => ['delete', 'template', path] }
    },
    'POST /v1/templates/{name}/{channel}/{locale}/publish': async () => {
      const path = await aPublished('published')
      return { path: `/v1/templates/${path}/publish`, row: () => ['publish', 'template', path] }
    },
    'POST /v1/templates/{name}/{channel}/{locale}/rollback': async () => {
      const path = await aPublished('regretted')
      const options = { body: { version: 1 } }
      return { path: `/v1/templates/${path}/rollback`, options, row: () => ['rollback', 'template', path] }
    },
    'PUT /v1/template-parts/{kind}/{name}': () => ({
      path: '/v1/template-parts/partial/footer',
      options: { body: { source: 'Yours' } },
      row: () => ['create', 'template_part', 'partial:footer'],
    }),
    'DELETE /v1/template-parts/{kind}/{name}': async () => {
      await put('template-parts/partial/old', { source: 'Yours' })
      return {
        path: '/v1/template-parts/partial/old',
        row: () => ['delete', 'template_part', 'partial:old'],
      }
    },
    'POST /v1/template-parts/{kind}/{name}/publish': async () => {
      await put('template-parts/partial/sign', { source: 'Yours' })
      await aPublished('signed', "{% render 'sign' %}")
      return {
        path: '/v1/template-parts/partial/sign/publish',
        row: () => ['publish', 'template_part', 'partial:sign'],
      }
    },
    'PATCH /v1/branding': () => ({
      path: '/v1/branding',
      options: { body: { name: 'Shop' } },
      row: () => ['update', 'branding', carillon.tenantId],
    }),
    'PUT /v1/translations/{locale}': () => ({
      path: '/v1/translations/pt-br',
      options: { body: { messages: { hello: 'Olá' } } },
      row: () => ['create', 'translation', 'pt-BR'],
    }),
    'DELETE /v1/translations/{locale}': async () => {
      await put('translations/de', { messages: { hello: 'Hallo' } })
      return { path: '/v1/translations/de', row: () => ['delete', 'translation', 'de'] }
    },
  }
}
