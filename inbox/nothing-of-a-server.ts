import type { Plugin } from 'vite'

/** Words that only server code has: its environment, its modules, its secrets, the paths that only keys may call. */
const OF_A_SERVER = ['process.env', 'node:', 'createHmac', 'whsec_', '/v1/intents', '/v1/tenant']

/** The playground's page shows code of servers to copy. */
const SHOWS_CODE = 'playground'

/** Lets no build succeed that would bring such code into browsers. */
export function nothingOfAServer(): Plugin {
  return {
    name: 'nothing-of-a-server',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || chunk.name === SHOWS_CODE) continue
        const found = OF_A_SERVER.filter(word => chunk.code.includes(word))
        if (found.length > 0)
          this.error(`${chunk.fileName} contains ${found.join(', ')}, which belongs on a server`)
      }
    },
  }
}
