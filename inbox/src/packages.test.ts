/** What products install and load: nothing of a server in a browser, and nothing of a browser on a server. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Rolldown } from 'vite'
import { describe, expect, it } from 'vitest'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

async function bundle(entry: string): Promise<string> {
  const alias = { '@carillon/sdk/inbox': path('../../sdk/src/browser.ts') }
  const result = await build({
    root: path('..'),
    configFile: false,
    logLevel: 'error',
    resolve: { alias },
    build: { write: false, minify: false, lib: { entry: path(entry), formats: ['es'], fileName: 'bundle' } },
  })
  const outputs = [result].flat() as Rolldown.RolldownOutput[]
  return outputs[0]!.output.map(each => ('code' in each ? each.code : '')).join('\n')
}

describe.each(['../../sdk/src/browser.ts', './headless.ts', './carillon-inbox.ts'])(
  'the bundle of %s',
  entry => {
    it('has the client of an inbox, and no code for servers', async () => {
      const code = await bundle(entry)
      expect(code).toContain('/v1/inbox/changes')
      const foreign = [
        'createClient',
        'verifyWebhook',
        "'node:",
        '"node:',
        '/v1/intents',
        '/v1/api-keys',
        'require(',
      ]
      expect(foreign.filter(text => code.includes(text))).toEqual([])
    })
  },
)

it('does nothing on a server, where the element is loaded by mistake or for its types', async () => {
  const script = `
    const before = Object.keys(globalThis).length
    const element = await import('@carillon/inbox')
    const { createInbox } = await import('@carillon/inbox/headless')
    const inbox = createInbox({ url: 'http://localhost', token: 'cut_x' })
    console.log(JSON.stringify([Object.keys(element), Object.keys(globalThis).length - before, inbox.state.connection]))`
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: path('.') })
  expect(JSON.parse(stdout)).toEqual([['CarillonInbox'], 0, 'loading'])
})
