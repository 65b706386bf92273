/** /dashboard: one document for all of its pages, and its files. What it shows, it asks the API for. */
import type { App } from '../../platform/http/server.ts'
import { A_YEAR, answerStaticFile, makeStaticFile } from '../../platform/http/static-file.ts'
import { readBundledFiles } from '../../platform/pages/bundled-files.ts'
import { dashboardDocument, FOLDER, MAIL_FRAME, MAIL_FRAME_POLICY } from './page.ts'

const options = { config: { scope: 'public' }, schema: { hide: true } } as const
const HTML = 'text/html; charset=utf-8'

export async function dashboardRoutes(app: App): Promise<void> {
  app.get('/dashboard', options, async (_request, reply) => reply.redirect('dashboard/', 308))

  app.get('/dashboard/*', options, async (_request, reply) => {
    const { html, policy } = dashboardDocument()
    return reply
      .header('content-security-policy', policy)
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'same-origin')
      .type(HTML)
      .send(html)
  })

  app.get('/dashboard/mail-frame.html', options, async (_request, reply) =>
    reply
      .header('content-security-policy', MAIL_FRAME_POLICY)
      .header('cache-control', 'no-store')
      .type(HTML)
      .send(MAIL_FRAME),
  )

  for (const [folder, prefix] of [
    [FOLDER, ''],
    [new URL('files/', FOLDER), 'files/'],
  ] as const) {
    for (const { name, content, type } of await readBundledFiles(folder)) {
      const file = await makeStaticFile(content)
      app.get(`/dashboard/${prefix}${name}`, options, async (request, reply) => {
        reply.type(type)
        // The frame of a mail has an origin of its own, and loads its script from here.
        reply.header('access-control-allow-origin', '*')
        if (prefix !== '') reply.header('cache-control', A_YEAR)
        return reply.send(answerStaticFile(file, request, reply))
      })
    }
  }
}
