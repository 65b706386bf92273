/** /v1/providers and /v1/provider-kinds */
import {
  NewProvider,
  Provider,
  ProviderChanges,
  ProviderKindInfo,
  TestAnswer,
  TestMessage,
} from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Principal } from '../../platform/calls/principal.ts'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor, Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { PROVIDER_KINDS } from '../services/kinds.ts'
import type { ProviderDirectory } from './directory.ts'
import {
  changeProviderConfig,
  createProviderConfig,
  removeProviderConfig,
  toProvider,
} from './provider-configs.ts'
import { selectEnvironmentProviders, selectProviderConfig, selectProviderConfigs } from './queries.ts'
import { sendTestMessage } from './test-message.ts'

const ProviderParams = z.object({ id: z.uuid() })
const tags = ['providers']

export interface ProviderParts {
  pool: Pool
  keyring: Keyring
  directory: ProviderDirectory
  publicUrl: string
}

export function providerRoutes(app: App, parts: ProviderParts): void {
  const { pool, keyring, directory, publicUrl } = parts

  async function show(db: Executor, principal: Principal, id: string): Promise<Provider> {
    const row = await selectProviderConfig(db, principal.tenant_id, id)
    if (row === undefined) throw notFound(`provider ${id}`)
    return toProvider(row, principal, keyring, publicUrl)
  }

  app.get(
    '/v1/provider-kinds',
    {
      config: { scope: 'providers:read' },
      schema: {
        tags,
        summary: 'What can be configured, with schemas',
        response: { 200: z.object({ data: z.array(ProviderKindInfo) }) },
      },
    },
    async () => ({ data: KIND_INFOS }),
  )
  app.get(
    '/v1/providers',
    {
      config: { scope: 'providers:read' },
      schema: {
        tags,
        summary: 'Providers with their breaker state, those of the environment last',
        response: { 200: z.object({ data: z.array(Provider) }) },
      },
    },
    async request => {
      const own = await selectProviderConfigs(pool, request.principal.tenant_id)
      const rows = [...own, ...(await selectEnvironmentProviders(pool))]
      return { data: rows.map(row => toProvider(row, request.principal, keyring, publicUrl)) }
    },
  )
  app.post(
    '/v1/providers',
    {
      config: { scope: 'providers:write' },
      schema: { tags, summary: 'Configure a provider', body: NewProvider, response: { 201: Provider } },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const provider = await audited(pool, request, { type: 'provider' }, async tx =>
        show(tx, request.principal, await createProviderConfig(tx, keyring, request.principal, request.body)),
      )
      directory.forget(tenant_id)
      return reply.status(201).send(provider)
    },
  )
  app.get(
    '/v1/providers/:id',
    {
      config: { scope: 'providers:read' },
      schema: { tags, summary: 'One provider', params: ProviderParams, response: { 200: Provider } },
    },
    async request => show(pool, request.principal, request.params.id),
  )
  app.patch(
    '/v1/providers/:id',
    {
      config: { scope: 'providers:write' },
      schema: {
        tags,
        summary: 'Change a provider',
        params: ProviderParams,
        body: ProviderChanges,
        response: { 200: Provider },
      },
    },
    async request => {
      const { tenant_id } = request.principal
      const { id } = request.params
      const { secrets } = request.body
      const subject = {
        type: 'provider',
        id,
        before: (tx: Executor) => show(tx, request.principal, id),
        // The audit log shows which secrets were given, not what they are.
        after: (provider: Provider) => ({ ...provider, ...(secrets && { secrets }) }),
      }
      const provider = await audited(pool, request, subject, async tx => {
        await changeProviderConfig(tx, keyring, request.principal, id, request.body)
        return show(tx, request.principal, id)
      })
      directory.forget(tenant_id)
      return provider
    },
  )
  app.delete(
    '/v1/providers/:id',
    {
      config: { scope: 'providers:write' },
      schema: { tags, summary: 'Remove a provider', params: ProviderParams, response: { 204: z.null() } },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { id } = request.params
      await audited(pool, request, { type: 'provider', id, action: 'delete' }, async tx => {
        const provider = await show(tx, request.principal, id)
        await removeProviderConfig(tx, tenant_id, id)
        return provider
      })
      directory.forget(tenant_id)
      return reply.status(204).send(null)
    },
  )
  app.post(
    '/v1/providers/:id/test',
    {
      config: { scope: 'providers:write', unaudited: 'it changes nothing here' },
      schema: {
        tags,
        summary: 'Send a test message now',
        params: ProviderParams,
        body: TestMessage,
        response: { 200: TestAnswer },
      },
    },
    async request => sendTestMessage(parts, request.principal.tenant_id, request.params.id, request.body),
  )
}

const KIND_INFOS: ProviderKindInfo[] = PROVIDER_KINDS.map(kind => ({
  name: kind.name,
  title: kind.title,
  channels: kind.channels.filter(channel => channel !== 'in_app'),
  config_schema: z.toJSONSchema(kind.config, { io: 'input' }) as Record<string, unknown>,
  secrets_schema: z.toJSONSchema(kind.secrets, { io: 'input' }) as Record<string, unknown>,
  reports_back: kind.callback !== undefined,
  operator_only: kind.operatorOnly === true,
}))
