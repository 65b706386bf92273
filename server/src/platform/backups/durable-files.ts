/** Files that are on the disk when they are said to be. */
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Under its name there is the whole content or nothing. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  await syncFolder(dirname(path))
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
