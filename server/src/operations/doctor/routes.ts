/** /v1/doctor */
import { Examination } from '@carillon/contract'
import type { App } from '../../platform/http/server.ts'

export function doctorRoutes(app: App, examine: () => Promise<Examination>): void {
  app.get(
    '/v1/doctor',
    {
      config: { scope: 'instance' },
      schema: {
        tags: ['operation'],
        summary: 'How the instance is, check by check, with advice',
        response: { 200: Examination },
      },
    },
    async () => examine(),
  )
}
