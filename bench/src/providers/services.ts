/** Every kind of provider that uses HTTP, with settings as in the services' documentation. */
import { PROVIDER_KINDS } from '../../../server/dist/providers/services/kinds.js'
import { chatServices } from './chat-services.ts'
import { mailServices } from './mail-services.ts'
import { pushServices } from './push-services.ts'
import { json, type Service } from './service.ts'
import { smsServices } from './sms-services.ts'

const SERVICES: Record<string, Service> = {
  ...mailServices,
  ...smsServices,
  ...chatServices,
  ...pushServices,
  http: {
    protocol: 'http',
    config: origin => ({ url: `${origin}/messages/{{ message_id | url_encode }}` }),
    secrets: () => ({ headers: { authorization: 'Bearer 0123456789abcdef' } }),
    message: () => ({}),
    accepts: json(202, { id: 'msg-1' }),
  },
}

const NOT_HTTP = ['smtp']

/** Throws for a new kind that has no service here, so that it is not overlooked. */
export function httpKinds(): string[] {
  const names = PROVIDER_KINDS.map(kind => kind.name).filter(name => !NOT_HTTP.includes(name))
  for (const name of names) serviceOf(name)
  return names
}

export function serviceOf(kind: string): Service {
  const service = SERVICES[kind]
  if (service === undefined)
    throw new Error(`services.ts does not know how to reach a provider of kind ${kind}`)
  return service
}
