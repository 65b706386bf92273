/** /v1/users/{id}/devices */
import { Device, DeviceInput } from '@carillon/contract'
import { z } from 'zod'
import { audited } from '../../oversight/audit-logs/audit-logs.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { App } from '../../platform/http/server.ts'
import { listDevices, registerBrowser, registerDevice, removeDevice } from './devices.ts'

const UserParams = z.object({ id: z.string().min(1).max(200) })
const tags = ['users']

export function deviceRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/users/:id/devices',
    {
      config: { scope: 'users:read', person: true },
      schema: {
        tags,
        summary: 'A person’s devices',
        params: UserParams,
        response: { 200: z.object({ data: z.array(Device) }) },
      },
    },
    async request => ({ data: await listDevices(pool, request.principal.tenant_id, request.params.id) }),
  )
  app.post(
    '/v1/users/:id/devices',
    {
      config: { scope: 'users:write', person: true },
      schema: {
        tags,
        summary: 'Register a device; with a user token, the browser that web push goes to',
        params: UserParams,
        body: DeviceInput,
        response: { 201: Device },
      },
    },
    async (request, reply) => {
      const { tenant_id, person } = request.principal
      const register = person === undefined ? registerDevice : registerBrowser
      const device = await audited(pool, request, { type: 'device', action: 'register' }, tx =>
        register(tx, tenant_id, request.params.id, request.body),
      )
      return reply.status(201).send(device)
    },
  )
  app.delete(
    '/v1/users/:id/devices/:device_id',
    {
      config: { scope: 'users:write', person: true },
      schema: {
        tags,
        summary: 'Delete a device',
        params: UserParams.extend({ device_id: z.uuid() }),
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { id, device_id } = request.params
      await audited(pool, request, { type: 'device', id: device_id, action: 'delete' }, tx =>
        removeDevice(tx, request.principal.tenant_id, id, device_id),
      )
      return reply.status(204).send(null)
    },
  )
}
