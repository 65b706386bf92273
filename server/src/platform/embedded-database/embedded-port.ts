/** The loopback port of the embedded server: the same one at every start, as long as it is free. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Prefers the port of the last start, so that an open psql or a saved connection still works. */
export async function choosePort(dataDir: string): Promise<number> {
  const remembered = readRemembered(dataDir)
  return (remembered && (await listenBriefly(remembered))) || (await listenBriefly(0))!
}

export function rememberPort(dataDir: string, port: number): void {
  writeFileSync(portFile(dataDir), `${port}\n`)
}

function readRemembered(dataDir: string): number | undefined {
  const file = portFile(dataDir)
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : Number.NaN
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

/** Returns the port when it can be listened on, undefined when it is taken; 0 lets the system choose one. */
function listenBriefly(port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(undefined))
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}

function portFile(dataDir: string): string {
  return join(dataDir, 'postgres-port')
}
