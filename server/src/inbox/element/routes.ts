/** /inbox/carillon-inbox.js and its parts, for the pages of any product. */
import type { App } from '../../platform/http/server.ts'
import { A_YEAR, answerStaticFile, makeStaticFile } from '../../platform/http/static-file.ts'
import { readBundledFiles } from '../../platform/pages/bundled-files.ts'

const FOLDER = new URL('./', import.meta.resolve('@carillon/inbox/carillon-inbox.js'))

export async function elementRoutes(app: App): Promise<void> {
  for (const { name, content, type } of await readBundledFiles(FOLDER)) {
    const file = await makeStaticFile(content)
    const config = { scope: 'public' } as const
    app.get(`/inbox/${name}`, { config, schema: { hide: true } }, async (request, reply) => {
      // Modules of another origin are loaded only with its consent; they have no secrets.
      reply.header('access-control-allow-origin', '*').type(type)
      // A part's name has a hash of its content.
      if (name.startsWith('part-')) reply.header('cache-control', A_YEAR)
      return reply.send(answerStaticFile(file, request, reply))
    })
  }
}
