/** Which script somebody means. */
import type { Script, ScriptSummary } from '@carillon/contract'
import type { Client } from '@carillon/sdk'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** By name, or by id. A name that looks like an id has to be given as the id. */
export async function findScript(client: Client, given: string): Promise<Script> {
  return client.scripts.get(await findScriptId(client, given))
}

/** Looks nothing up for an id: whoever may only run a script need not be able to read it. */
export async function findScriptId(client: Client, given: string): Promise<string> {
  if (UUID.test(given)) return given
  const found = await findByName(client, given)
  if (found === undefined) throw new Error(`There is no script "${given}".`)
  return found.id
}

/** For a filter that may be left out. */
export async function findScriptIdIfGiven(
  client: Client,
  given: string | undefined,
): Promise<string | undefined> {
  return given === undefined ? undefined : findScriptId(client, given)
}

/** Without its source. */
export async function findByName(client: Client, name: string): Promise<ScriptSummary | undefined> {
  return (await client.scripts.list({ name })).data[0]
}
