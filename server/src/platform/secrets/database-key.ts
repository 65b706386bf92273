/** The id of the master key that a database is used with. All of its processes need the same one. */
import type { Executor } from '../database/pool.ts'
import type { Keyring } from './keyring.ts'

/** The first key that comes becomes the database's own; any other is refused. */
export async function refuseOtherKey(db: Executor, keyring: Keyring): Promise<void> {
  await db.query('insert into master_keys (key_id) values ($1) on conflict do nothing', [keyring.currentId])
  const { rows } = await db.query<{ key_id: string }>('select key_id from master_keys')
  const expected = rows[0]!.key_id
  if (keyring.has(expected)) return
  throw new Error(
    `This database is used with another master key (${expected}) than the one here (${keyring.currentId}). Set CARILLON_MASTER_KEY to the same key in all processes, or copy the file "master-key" from the data folder of the process that has it.`,
  )
}

/** After everything has been encrypted with a new key. */
export async function changeKey(db: Executor, keyring: Keyring): Promise<void> {
  await db.query(
    `insert into master_keys (key_id) values ($1)
     on conflict (is_current) do update set key_id = excluded.key_id, changed_at = now()
     where master_keys.key_id <> excluded.key_id`,
    [keyring.currentId],
  )
}
