/** / : a page for people who open the address in a browser. */
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../platform/calls/refusal.ts'
import { ownVersion } from '../../platform/config/version.ts'
import type { App } from '../../platform/http/server.ts'
import { prefersHtml } from '../../platform/pages/accept-headers.ts'
import { sendDocument } from '../../platform/pages/document.ts'
import { createSituationReader, type LandingFacts } from './facts.ts'
import { landingPage } from './page.ts'

export type { LandingFacts }

export function landingPageRoutes(app: App, facts: LandingFacts): void {
  const readSituation = createSituationReader(facts)
  const version = ownVersion()
  app.get(
    '/',
    { config: { scope: 'public' }, schema: { hide: true, summary: 'What runs here and what to do next' } },
    async (request, reply) => {
      reply.header('vary', 'accept')
      if (!prefersHtml(request.headers.accept))
        throw new Refusal('not_found', `There is no ${request.method} /. The API is described at /docs.`)
      const { roles, isPrivate, publicUrl, hasPlayground } = facts
      const url = publicUrl.replace(/\/$/, '') || addressOf(request)
      return sendDocument(
        reply,
        landingPage({ version, url, situation: await readSituation(), roles, isPrivate, hasPlayground }),
      )
    },
  )
}

const USUAL_ADDRESS = 'http://localhost:8420'

/** The address that the browser used. It goes into commands to paste, so nothing but a plain name is taken from it. */
function addressOf({ protocol, host }: FastifyRequest): string {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d+)?$/i.test(host) ? `${protocol}://${host}` : USUAL_ADDRESS
}
