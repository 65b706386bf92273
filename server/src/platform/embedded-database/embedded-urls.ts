/** Where Carillon's database is in the embedded server, for each role. */
import { APPLICATION, OWNER } from '../database/roles.ts'
import { readRolePassword } from './embedded-roles.ts'

export const database = 'carillon'

export interface EmbeddedUrls {
  /** For processes at work: rows, and nothing else. */
  url: string
  /** For changing the schema. */
  ownerUrl: string
}

/** Undefined where the data folder has no passwords, because no version with these roles has started on it. */
export function embeddedUrls(dataDir: string, port: number): EmbeddedUrls | undefined {
  const [app, owner] = [readRolePassword(dataDir, APPLICATION), readRolePassword(dataDir, OWNER)]
  if (app === undefined || owner === undefined) return undefined
  return { url: urlOf(APPLICATION, app, port), ownerUrl: urlOf(OWNER, owner, port) }
}

export function urlOf(role: string, password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`
}
