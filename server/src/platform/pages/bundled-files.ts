/** What a bundler made for browsers, as the build left it. */
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export interface BundledFile {
  name: string
  content: Buffer
  type: string
}

/** Those that a page may load; types and documents are left out. */
export async function readBundledFiles(folder: URL): Promise<BundledFile[]> {
  const names = (await readdir(folder)).filter(name => extname(name) in TYPES)
  return Promise.all(
    names.map(async name => ({
      name,
      content: await readFile(new URL(name, folder)),
      type: TYPES[extname(name)]!,
    })),
  )
}
