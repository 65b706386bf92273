/** The devices that a user's push messages go to. */
import type { Device, DeviceInput } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { path } from './path.ts'

export function createDevices(send: Send) {
  return {
    async list(userId: string, options?: CallOptions): Promise<{ data: Device[] }> {
      return send({ method: 'GET', path: path`/v1/users/${userId}/devices`, ...options })
    },

    async register(userId: string, device: DeviceInput, options?: CallOptions): Promise<Device> {
      return send({ method: 'POST', path: path`/v1/users/${userId}/devices`, body: device, ...options })
    },

    async delete(userId: string, id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/users/${userId}/devices/${id}`, ...options })
    },
  }
}
