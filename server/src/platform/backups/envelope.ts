/** What a restored instance cannot do without, and what must never lie in a backup in the clear: encrypted by a passphrase. */
import { type Lock, newBox, openBox } from '../secrets/passphrase.ts'

/** Files of the data folder by name. */
export type DataFiles = Record<string, string>

export interface Envelope {
  lock: Lock
  body: string
}

/** The id of the backup is part of what is signed, so an envelope of another one is not taken for its own. */
export async function sealFiles(files: DataFiles, passphrase: string, backupId: string): Promise<Envelope> {
  const { lock, close } = await newBox(passphrase)
  return { lock, body: close(JSON.stringify(files), backupId) }
}

export async function openFiles(
  { lock, body }: Envelope,
  passphrase: string,
  backupId: string,
): Promise<DataFiles> {
  try {
    const { open } = await openBox(lock, passphrase)
    return JSON.parse(open(body, backupId))
  } catch (error) {
    throw new Error(
      `The passphrase does not open the keys of the backup ${backupId}. Set CARILLON_BACKUP_PASSPHRASE to the one that it was made with.`,
      { cause: error },
    )
  }
}
