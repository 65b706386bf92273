/** Calls that change templates, and what templates are made with. */
import type { TestCarillon } from '../carillon.ts'
import { type Calls, put } from './call.ts'

export function templateCalls(carillon: TestCarillon): Calls {
  async function aPublished(name: string, body = 'Hello'): Promise<string> {
    const path = `${name}/sms/en`
    await put(carillon, `/v1/templates/${path}`, { body })
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
    'POST /v1/templates/preview': () => ({
      path: '/v1/templates/preview',
      options: { body: { channel: 'sms', template: { body: 'Hello' } } },
    }),
    'POST /v1/templates/{name}/{channel}/{locale}/preview': async () => ({
      path: `/v1/templates/${await aPublished('shown')}/preview`,
    }),
    'PUT /v1/template-parts/{kind}/{name}': () => ({
      path: '/v1/template-parts/partial/footer',
      options: { body: { source: 'Yours' } },
      row: () => ['create', 'template_part', 'partial:footer'],
    }),
    'PATCH /v1/template-parts/{kind}/{name}': async () => {
      await put(carillon, '/v1/template-parts/partial/greeting', { source: 'Hello' })
      return {
        path: '/v1/template-parts/partial/greeting',
        options: { body: { source: 'Hi' } },
        row: () => ['update', 'template_part', 'partial:greeting'],
      }
    },
    'DELETE /v1/template-parts/{kind}/{name}': async () => {
      await put(carillon, '/v1/template-parts/partial/old', { source: 'Yours' })
      return {
        path: '/v1/template-parts/partial/old',
        row: () => ['delete', 'template_part', 'partial:old'],
      }
    },
    'POST /v1/template-parts/{kind}/{name}/publish': async () => {
      await put(carillon, '/v1/template-parts/partial/sign', { source: 'Yours' })
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
    'PATCH /v1/translations/{locale}': async () => {
      await put(carillon, '/v1/translations/it', { messages: { hello: 'Salve' } })
      return {
        path: '/v1/translations/it',
        options: { body: { messages: { hello: 'Ciao' } } },
        row: () => ['update', 'translation', 'it'],
      }
    },
    'DELETE /v1/translations/{locale}': async () => {
      await put(carillon, '/v1/translations/de', { messages: { hello: 'Hallo' } })
      return { path: '/v1/translations/de', row: () => ['delete', 'translation', 'de'] }
    },
  }
}
